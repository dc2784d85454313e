"""The strict base of everything a person may write."""

from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, model_validator

from ci_judge.file_schema.loaded_file import WrittenList, WrittenMap
from ci_judge.file_schema.markers import AsWritten


class FileModel(BaseModel):
    """A map in a file: unknown keys are refused, nothing is converted but what a type says.

    Fields are frozen; lists are declared as ``ListOf[...]`` (tuples).
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        validate_default=False,
        use_attribute_docstrings=False,
    )

    @model_validator(mode="before")
    @classmethod
    def _keep_written_text(cls, data: Any) -> Any:
        """Put the source text where the field is text: ``message: 1.10`` says "1.10"."""
        if not isinstance(data, WrittenMap):
            return data
        kept = dict(data)
        for key, depths in _written_fields(cls).items():
            if key not in data:
                continue
            if 0 in depths and key in data.written:
                kept[key] = data.written[key]
            elif 1 in depths:
                kept[key] = _with_written_items(data[key])
        return kept


def _with_written_items(value: Any) -> Any:
    if isinstance(value, WrittenList):
        return [value.written.get(index, item) for index, item in enumerate(value)]
    if isinstance(value, WrittenMap):
        return {**value, **value.written}
    return value


@cache
def _written_fields(model: type[FileModel]) -> dict[str, frozenset[int]]:
    """For each key: whether its own scalar (0) or those directly in it (1) are text."""
    found = {
        field.alias or name: frozenset(_depths(field.annotation, tuple(field.metadata)))
        for name, field in model.model_fields.items()
    }
    return {key: depths for key, depths in found.items() if depths}


def _depths(annotation: Any, metadata: tuple[Any, ...] = ()) -> set[int]:
    depths = {0} if any(isinstance(mark, AsWritten) for mark in metadata) else set()
    return depths | _depths_inside(get_origin(annotation), get_args(annotation))


def _depths_inside(origin: Any, arguments: tuple[Any, ...]) -> set[int]:
    if origin is Annotated:
        return _depths(arguments[0], arguments[1:])
    if origin in {Union, UnionType}:
        return set().union(*map(_depths, arguments))
    if origin in {list, tuple, dict}:
        return {depth + 1 for depth in _depths(arguments[-1 if origin is dict else 0])}
    return set()
