"""How a panel judged, in words for people: who voted how, and how far the judges agree."""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from ci_judge.model.document import AgreementEntry, JudgeEntry, RunEntry, VoteEntry
from ci_judge.model.judging import PanelRule
from ci_judge.renderers.wording import counted, percent

Named: TypeAlias = Callable[[str], str]

_RULES: Final[dict[PanelRule, str]] = {
    "majority": "more than half of them",
    "all": "all of them",
    "any": "any of them",
}
_VOTES: Final[dict[bool | None, str]] = {True: "pass", False: "fail", None: "error"}


def vote_lines(run: RunEntry, *, named: Named = str) -> Iterator[str]:
    """Say in one line for each expectation who voted how; nothing without a panel.

    The names of judges are untrusted: they hold what the configuration calls the models. ``named``
    makes them fit for a format.
    """
    for vote in run["votes"]:
        if vote["members"]:
            item = f"expectation {vote['item']}: " if len(run["votes"]) > 1 else ""
            yield f"{item}{_who_voted(vote, named)}"


def vote_word(passed: bool | None) -> str:  # noqa: FBT001 - a vote is one of three
    return _VOTES[passed]


def _who_voted(vote: VoteEntry, named: Named) -> str:
    """``openai gpt-5 pass, anthropic claude fail, stub error``."""
    return ", ".join(
        f"{named(member['judge'])} {vote_word(member['passed'])}" for member in vote["members"]
    )


def panel_lines(judge: JudgeEntry, *, named: Named = str) -> Iterator[str]:
    """Tell of a panel: its rule, each judge's votes over the suite, the agreement.

    Names are untrusted, ``named`` makes them fit for a format.
    """
    if not judge["panel"] or judge["panel_rule"] is None:
        return
    rule = _RULES[judge["panel_rule"]]
    judges = counted(len(judge["panel"]), "judge")
    yield f"panel of {judges}: {judge['panel_needed']} must pass it ({rule})"
    for member in judge["panel"]:
        counts = f"{member['passes']:,} pass, {member['fails']:,} fail"
        errors = f", {counted(member['errors'], 'error')}" if member["errors"] else ""
        yield f"judge {named(member['judge'])}: {counts}{errors}"
    if judge["agreement"] is not None:
        yield agreement_words(judge["agreement"])


def agreement_words(agreement: AgreementEntry) -> str:
    """Say how far the judges agree, and how far beyond chance."""
    if agreement["raw"] is None:
        return "agreement: n/a, there is no vote that all judges took part in"
    return (
        f"agreement: two judges say the same in {percent(agreement['raw'])} of cases "
        f"({counted(agreement['votes'], 'vote')} that all took part in); "
        f"where 0 is chance and 1 is full agreement, Gwet's AC1 is "
        f"{_figure(agreement['gwet_ac1'])}, "
        f"Fleiss' kappa {_figure(agreement['fleiss_kappa'])}"
    )


def _figure(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"
