"""What an earlier attempt leaves to the next one, and how that is told."""

from dataclasses import dataclass, replace

from ci_judge.model.results import TestOutcome
from ci_judge.model.suite import GateKind, GateRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Precedent:
    """What became of a test earlier: its gate's word, and how many runs it was to make at most."""

    outcome: TestOutcome
    planned: int


def topped_up(rule: GateRule, precedent: Precedent, *, most: int) -> GateRule:
    """Give the gate under which a test goes on; ``most`` runs are planned in all, at the most.

    The evidence of an adaptive gate may be looked at as often as one likes and added to at any time
    (rules.adaptive): a test that failed is given as many runs again as it had at first. What any
    other gate has decided, more runs would only draw again.
    """
    if rule.kind is not GateKind.ADAPTIVE:
        return rule
    wanted = precedent.planned
    if precedent.outcome == "failed":
        wanted += rule.configured_runs
    runs = max(rule.runs, min(wanted, most))
    return replace(rule, runs=runs, topped_up=runs - rule.configured_runs)


def rerun_sentence(*, since: int | None, carried: int, made: int, anew: str | None) -> str:
    """Say what was taken over from the attempt ``since`` and what was not.

    ``carried`` runs were kept and ``made`` ones made now; ``anew`` is why tests were judged anew.
    """
    told = []
    if carried and not made:
        all_of_them = "The only run was" if carried == 1 else f"All {carried:,} runs were"
        told.append(
            f"{all_of_them} kept from attempt {since} and none was made now: a verdict is not drawn"
            " again."
        )
    elif carried:
        kept = "1 run" if carried == 1 else f"{carried:,} runs"
        told.append(
            f"{kept} with a verdict {'was' if carried == 1 else 'were'} kept from attempt {since};"
            f" {made:,} {'was' if made == 1 else 'were'} made now: those that had ended in errors"
            " or had not been made, and further ones of adaptive tests."
        )
    if anew is not None:
        told.append(f"Judged anew: {anew}.")
    return " ".join(told)
