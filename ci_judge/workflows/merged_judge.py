"""The entry of the judge over several reports in which the same judge judged."""

from collections.abc import Sequence

from ci_judge.document.panel_entries import agreement_entry
from ci_judge.engine.panel_votes import MemberCount, PanelVotes
from ci_judge.model.document import (
    CalibrationEntry,
    JudgeEntry,
    JudgeTermsEntry,
    PanelMemberEntry,
    PriceEntry,
)


def merged_judge(entries: Sequence[JudgeEntry], votes: PanelVotes) -> JudgeEntry | None:
    """Put together what each report says of the judge; None where none of them needed one.

    All of them name the same judges. ``votes`` count those of a panel over all runs.
    """
    if not entries:
        return None
    first = entries[0]
    merged: JudgeEntry = {
        **first,
        "models_answered": _models(entries),
        "price": _price(entries),
        "calibration": _calibration(entries),
    }
    if not first["panel"]:
        return merged
    seats = zip(*(entry["panel"] for entry in entries), strict=True)
    panel = [_member(seat, count) for seat, count in zip(seats, votes.members, strict=True)]
    return {**merged, "panel": panel, "agreement": agreement_entry(votes.agreement)}


def _calibration(entries: Sequence[JudgeEntry]) -> CalibrationEntry | None:
    """Take what one of them says against it before what speaks for it."""
    found = [entry["calibration"] for entry in entries if entry["calibration"] is not None]
    return next(
        (each for each in found if each["problem"] is not None), found[0] if found else None
    )


def same_judges(one: JudgeEntry, other: JudgeEntry) -> bool:
    """Tell whether two reports name the same judges, whatever models answered."""
    return (
        _same_labels(one, other)
        and _asked(one) == _asked(other)
        and list(map(_asked, one["panel"])) == list(map(_asked, other["panel"]))
    )


def _same_labels(one: JudgeEntry, other: JudgeEntry) -> bool:
    """Tell whether both go by the same calibration, or by none."""
    here, there = one["calibration"], other["calibration"]
    if here is None or there is None:
        return here is there
    return (here["made"], here["labels"]) == (there["made"], there["labels"])


def _asked(judge: JudgeTermsEntry) -> list[object]:
    return [judge["provider"], judge["model"], judge["prompt_version"], judge["temperature"]]


def _member(entries: Sequence[PanelMemberEntry], count: MemberCount) -> PanelMemberEntry:
    return {
        **entries[0],
        "models_answered": _models(entries),
        "price": _price(entries),
        "passes": count.passes,
        "fails": count.fails,
        "errors": count.errors,
    }


def _models(entries: Sequence[JudgeTermsEntry]) -> list[str]:
    return sorted({model for entry in entries for model in entry["models_answered"]})


def _price(entries: Sequence[JudgeTermsEntry]) -> PriceEntry | None:
    """Take the price by the first model that answered, as a run of all tests would."""
    ordered = sorted(entries, key=lambda entry: entry["models_answered"] or ["\U0010ffff"])
    return next((entry["price"] for entry in ordered if entry["price"] is not None), None)
