"""What lies in the cache is JSON without secrets, whole or not there; and what keys tell apart."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ci_judge.cache import Cache, digest

KEY = digest("a key")


def a_cache(path: Path, *, storable: Callable[[Any], bool] = lambda _: True) -> Cache:
    return Cache(path, storable=storable)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("ab", "c"), ("a", "bc")),
        (("ab",), ("a", "b")),
        (("1",), (1,)),
        ((None,), ("null",)),
        (([["a"], "b"],), (["a", ["b"]],)),
        (("\ud83d",), ("\ufffd",)),
        (({"a": 1, "b": 2},), ({"b": 2, "a": 1},)),
    ],
)
def test_what_differs_has_another_digest(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    assert digest(*one) != digest(*other)
    assert digest(*one) == digest(*one)


@pytest.mark.parametrize("value", [{"a": ["é", "\ud83d", 1.5, None]}, [], 0, "", False])
def test_a_value_comes_back_as_it_was(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "cache.sqlite3"
    with closing(a_cache(path)) as cache:
        assert cache.recall(KEY) is None
        cache.keep(KEY, value)
    with closing(a_cache(path)) as cache:
        assert cache.recall(KEY) == value
        assert cache.problems == ()


@pytest.mark.parametrize(
    "damage",
    [
        "value = substr(value, 1, length(value) / 2)",
        "value = replace(value, 'true', 'null')",
        "value = '[]'",
        "key = x'00'",
    ],
)
def test_half_an_entry_or_a_changed_one_is_none(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "cache.sqlite3"
    with closing(a_cache(path)) as cache:
        cache.keep(KEY, {"pass": True})
    with closing(sqlite3.connect(path)) as db, db:
        assert db.execute(f"UPDATE entries SET {damage}").rowcount == 1  # noqa: S608 - ours
    with closing(a_cache(path)) as cache:
        assert cache.recall(KEY) is None
        cache.keep(KEY, {"pass": True})
        assert cache.recall(KEY) == {"pass": True}


def test_an_entry_under_another_key_is_not_taken_for_this_one(tmp_path: Path) -> None:
    path, other = tmp_path / "cache.sqlite3", digest("another")
    with closing(a_cache(path)) as cache:
        cache.keep(other, {"pass": True})
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE entries SET key = ?", (KEY,))
    with closing(a_cache(path)) as cache:
        assert cache.recall(KEY) is None


def test_what_must_not_be_stored_is_not(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    with closing(a_cache(path, storable=lambda value: "s3cr3t" not in str(value))) as cache:
        cache.keep(KEY, {"reason": "it said s3cr3t"})
        cache.keep(digest("other"), {"reason": "fine"})
        assert cache.recall(KEY) is None
    assert b"s3cr3t" not in path.read_bytes()
    assert b"fine" in path.read_bytes()


def test_a_cache_that_is_not_used_makes_no_file(tmp_path: Path) -> None:
    cache = a_cache(tmp_path / "dir" / "cache.sqlite3")
    cache.flush()
    cache.close()
    assert cache.problems == ()
    assert list(tmp_path.iterdir()) == []


def test_what_goes_wrong_with_the_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    path.write_bytes(b"no database " * 1000)
    with closing(a_cache(path)) as cache:
        assert cache.recall(KEY) is None
        (problem,) = cache.problems
    assert "set aside" in problem
