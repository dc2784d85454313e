"""Draws are a function of what they are for: published vectors, independence, evenness."""

import hashlib
import json
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.rules.draws import draw


def draw_at(seed: int = 7, *, test_id: str = "refunds/asks", **place: int) -> float:
    where = {"run": 1, "repetition": 1, "judge_index": 1, "item": 1} | place
    return draw(seed=seed, test_id=test_id, **where)


def test_the_first_53_bits_of_the_hash_of_the_compact_array() -> None:
    digest = hashlib.sha256(b'[7,"refunds/asks",3,2,1,4]').digest()
    bits = "".join(f"{byte:08b}" for byte in digest)[:53]
    assert draw_at(run=3, repetition=2, item=4) == int(bits, 2) / 2**53


def test_a_recorded_value_stays_what_it_was() -> None:
    assert draw_at() == 0.2434459083976651


def test_other_scripts_are_hashed_as_ascii_escapes() -> None:
    name = json.dumps([7, "返金/\ud83d", 1, 1, 1, 1], separators=(",", ":")).encode("ascii")
    first = int.from_bytes(hashlib.sha256(name).digest()[:8], "big") >> 11
    assert draw_at(test_id="返金/\ud83d") == first / 2**53


@given(st.integers(0, 2**53 - 1), st.text(), st.integers(1, 10**6))
def test_in_the_unit_interval(seed: int, test_id: str, run: int) -> None:
    assert 0 <= draw_at(seed, test_id=test_id, run=run) < 1


def test_each_coordinate_matters() -> None:
    others = [draw_at(run=2), draw_at(repetition=2), draw_at(judge_index=2), draw_at(item=2)]
    values = {draw_at(), draw_at(8), draw_at(test_id="refunds/ask"), *others}
    assert len(values) == 7


def test_evenly_spread() -> None:
    values = [draw_at(run=run) for run in range(1, 4001)]
    assert statistics.fmean(values) == pytest.approx(0.5, abs=0.02)
    assert statistics.pvariance(values) == pytest.approx(1 / 12, abs=0.005)


@pytest.mark.parametrize("seed", [-1, 2**53])
def test_a_seed_fits_53_bits(seed: int) -> None:
    with pytest.raises(ValueError, match="seed"):
        draw_at(seed)


def test_the_largest_seed_is_fine() -> None:
    assert 0 <= draw_at(2**53 - 1) < 1


@pytest.mark.parametrize("place", [(0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0)])
def test_everything_counts_from_one(place: tuple[int, int, int, int]) -> None:
    run, repetition, judge_index, item = place
    with pytest.raises(ValueError, match="count from 1"):
        draw_at(run=run, repetition=repetition, judge_index=judge_index, item=item)
