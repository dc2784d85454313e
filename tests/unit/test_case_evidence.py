import dataclasses
import datetime as dt
import decimal
import enum
import json
import math
import uuid
from collections import OrderedDict, namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ci_judge.suites.case_evidence import MAX_DEPTH, EvidenceRefused, copy_evidence

Pair = namedtuple("Pair", "left right")  # noqa: PYI024 - the untyped kind is what people return


@dataclasses.dataclass
class Price:
    amount: int = 1


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Scalar:
    """Like a number of numpy that is no Python number."""

    def item(self) -> int:
        return 1


class Model:
    def model_dump(self, *, mode: str) -> dict[str, str]:
        return {"mode": mode}


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __hash__(self) -> int:
        return 1


def a_generator() -> Iterator[int]:
    yield 1


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=50, deadline=None)
@given(JSON)
def test_json_values_come_through_unchanged(value: Any) -> None:
    assert copy_evidence(value) == value
    assert json.loads(json.dumps(copy_evidence(value))) == value


def test_the_copy_shares_nothing_with_the_original() -> None:
    value = {"rows": [{"n": 1}]}
    copied = copy_evidence(value)
    value["rows"][0]["n"] = 2
    value["rows"].append({"n": 3})
    assert copied == {"rows": [{"n": 1}]}


def test_tuples_and_subclasses_of_containers_become_plain() -> None:
    copied = copy_evidence(OrderedDict(pair=(1, (2,))))
    assert copied == {"pair": [1, [2]]}
    assert type(copied) is dict


def test_minus_zero_large_integers_and_lone_surrogates_stay() -> None:
    assert math.copysign(1, copy_evidence(-0.0)) == -1
    assert copy_evidence(2**60) == 2**60
    assert copy_evidence("\ud83d") == "\ud83d"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"when": dt.datetime(2026, 1, 2)}, "$.when is a datetime; use x.isoformat()"),  # noqa: DTZ001 - any datetime
        (
            {"items": [0, 1, {"price": decimal.Decimal("1.10")}]},
            "$.items[2].price is a Decimal; use float(x) or str(x)",
        ),
        ({"tags": {"a"}}, "$.tags is a set; use sorted(x)"),
        ({"raw": b"abc"}, "$.raw is a bytes; use x.decode()"),
        (Price(), "$ is a Price; use dataclasses.asdict(x)"),
        (Pair(1, 2), "$ is a Pair; use x._asdict()"),
        (Model(), '$ is a Model; use x.model_dump(mode="json")'),
        ({"n": Scalar()}, "$.n is a Scalar; use x.item()"),
        ({"c": Colour.RED}, "$.c is a Colour; use x.value"),
        ({"c": Level.HIGH}, "$.c is a Level; use x.value"),
        ({"id": uuid.UUID(int=0)}, "$.id is an UUID; use str(x)"),
        ({"a b": Path("/tmp")}, "$['a b'] is a PosixPath; use str(x)"),  # noqa: S108 - not used
        (a_generator(), "$ is a generator; return list(…) of it instead of yielding"),
        (Price, "$ is a type; call it and return what it gives"),
        ({"f": a_generator}, "$.f is a function; call it and return what it gives"),
        (object(), "$ is an object; make it a dict, list, text or number"),
        ({"x": float("nan")}, "$.x is nan, which JSON cannot hold; use None or a text"),
        ([float("-inf")], "$[0] is -inf, which JSON cannot hold; use None or a text"),
        ([10**5000], "$[0] is an int of more than 4,000 digits; use a shorter text"),
        (
            {1: "a", "1": "b"},
            "$ has a key that is an int (1); keys must be texts: use str(key)",
        ),
        (
            {"deep": {Unprintable(): 1}},
            "$.deep has a key that is an Unprintable (…); keys must be texts: use str(key)",
        ),
    ],
)
def test_anything_else_is_refused_with_its_place_and_remedy(value: object, message: str) -> None:
    with pytest.raises(EvidenceRefused) as refused:
        copy_evidence(value)
    assert str(refused.value) == message


def test_a_value_that_contains_itself_is_refused() -> None:
    ring: list[Any] = []
    ring.append({"again": ring})
    with pytest.raises(EvidenceRefused, match=r"^\$\[0\]\.again contains itself"):
        copy_evidence(ring)


def test_one_value_may_stand_in_two_places() -> None:
    shared = [1]
    assert copy_evidence({"a": shared, "b": shared}) == {"a": [1], "b": [1]}


def test_depth_is_limited_just_above_the_limit() -> None:
    value: Any = 0
    for _ in range(MAX_DEPTH):
        value = [value]
    assert copy_evidence(value) == value
    with pytest.raises(EvidenceRefused, match="more than 100 levels deep"):
        copy_evidence([value])


class Growing(dict[str, Any]):
    """Changes the value around it while that is being copied, as another thread would."""

    def __init__(self, around: dict[str, Any]) -> None:
        super().__init__()
        self.around = around

    def items(self) -> Any:
        self.around["more"] = 1
        return super().items()


def test_a_value_that_changes_meanwhile_is_copied_as_it_was() -> None:
    value: dict[str, Any] = {}
    value["inner"] = Growing(value)
    assert copy_evidence(value) == {"inner": {}}
