"""What ``concurrency`` may be."""

import pytest
from pydantic import TypeAdapter, ValidationError

from ci_judge.file_schema import Concurrency, fixed_number

READ: TypeAdapter[int | str] = TypeAdapter(Concurrency)


@pytest.mark.parametrize(("written", "number"), [("auto", None), (1, 1), (256, 256), ("64", 64)])
def test_it_is_auto_or_a_number(written: object, number: int | None) -> None:
    read = READ.validate_python(written)
    assert fixed_number(read) == number  # type: ignore[arg-type]


@pytest.mark.parametrize("written", [0, 257, -1, True, 1.5, "many", "Auto", "", None, "9" * 5_000])
def test_anything_else_is_refused_in_words(written: object) -> None:
    with pytest.raises(ValidationError, match="must be auto or a whole number from 1 to 256"):
        READ.validate_python(written)
