"""What a file of waivers may hold: its keys, types and meanings."""

import re
from contextlib import suppress
from datetime import date
from typing import Annotated, Final

from pydantic import AfterValidator, Field, WithJsonSchema

from ci_judge.file_schema import FileModel, FilledText, wrong

NAMES: Final = ("waivers.yaml", "waivers.yml")
MOST_DAYS: Final = 90
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def _day(text: str) -> str:
    with suppress(ValueError):  # such as 2026-02-30
        if _DAY.fullmatch(text):
            date.fromisoformat(text)
            return text
    raise wrong("must be a day, as year-month-day", hint="such as 2026-07-31")


Day = Annotated[
    FilledText, AfterValidator(_day), WithJsonSchema({"type": "string", "format": "date"})
]


class WaiverKeys(FileModel):
    """One waiver."""

    test: FilledText = Field(description="The id of the test, as reports and check show it.")
    reason: FilledText = Field(description="Why it may fail for now.")
    owner: FilledText = Field(description="Who sees to it.")
    expires: Day = Field(
        description=f"The last day (UTC) on which it may fail, at most {MOST_DAYS} days ahead."
    )
