"""Rules of a test that ask for less than they did: whoever lowers a bar should have to say so."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ci_judge.model.document import WeakerKind
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.gate_words import counted
from ci_judge.rules.gates import needed_passes
from ci_judge.rules.regating import gate_words_of
from ci_judge.rules.rounding import written

_PROVE = frozenset({GateKind.LOWER_BOUND, GateKind.EXACT, GateKind.ADAPTIVE, GateKind.CORRECTED})
_LIMIT = re.compile(r"(max_\w+): (\d[\d.]*(?:e[+-]?\d{1,3})?)( in .*)?")
_QUOTES = str.maketrans("", "", "\"'\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRules:
    """All that a test is held to. ``asked`` is its question: message, history, requirement.

    ``phrases`` belong to the expectation at the same place. ``gate`` is None where it is not known.
    """

    __test__ = False  # the name is the domain's; pytest need not collect it

    gate: GateRule | None
    asked: object = None
    expected: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    checks: tuple[str, ...] = ()
    waived: bool = False
    advisory: bool = False
    skipped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Weaker:
    """One rule, as it was and as it is, in words; ``now`` is empty where it is gone."""

    kind: WeakerKind
    was: str
    now: str = ""


def weaker_rules(was: TestRules, now: TestRules) -> Iterator[Weaker]:
    """Find what asks for less. A test that could fail nothing before cannot be weakened."""
    if was.advisory or was.skipped:
        return
    if now.skipped:
        yield Weaker(kind="skipped", was="run", now="skipped")
        return
    if now.advisory:
        yield Weaker(kind="advisory", was="may fail the step", now="advisory")
    if now.waived and not was.waived:
        yield Weaker(kind="waiver", was="not waived", now="waived")
    yield from _weaker_gate(was.gate, now.gate)
    if was.asked == now.asked:
        yield from _dropped(was, now)


def same_but_for_what_was_dropped(was: TestRules, now: TestRules) -> bool:
    """Tell whether the same is asked, and nothing is expected or checked that was not before."""
    return (
        was.asked == now.asked
        and not _gone(_unquoted(now.expected), _unquoted(was.expected))
        and not _gone(now.checks, was.checks)
        and not _gone(_all(now.phrases), _all(was.phrases))
    )


def _weaker_gate(was: GateRule | None, now: GateRule | None) -> Iterator[Weaker]:
    if was is None or now is None or was == now:
        return
    threshold = now.threshold < was.threshold and GateKind.MISSES not in {was.kind, now.kind}
    runs = _fewer_runs(was, now)
    if threshold:
        yield Weaker(kind="threshold", was=written(was.threshold), now=written(now.threshold))
    if runs:
        yield Weaker(kind="runs", was=_runs(was), now=_runs(now))
    if _looser(was, now, explained=threshold or runs):
        yield Weaker(kind="gate", was=_gate(was), now=_gate(now))


def _fewer_runs(was: GateRule, now: GateRule) -> bool:
    """Compare what is made in any case; between fixed and adaptive, the most with the least."""
    if (was.kind is GateKind.ADAPTIVE) == (now.kind is GateKind.ADAPTIVE):
        return _least(now) < _least(was)
    return now.configured_runs < _least(was)


def _least(rule: GateRule) -> int:
    return rule.configured_runs if rule.min_runs is None else rule.min_runs


def _runs(rule: GateRule) -> str:
    if rule.min_runs is None:
        return counted(rule.configured_runs, "run")
    return f"{rule.min_runs} to {rule.configured_runs} runs"


def _looser(was: GateRule, now: GateRule, *, explained: bool) -> bool:
    """Tell whether the gate lets more pass, by more than the ``explained`` other numbers do."""
    if was.kind in _PROVE and now.kind not in _PROVE:
        return True
    if {was.kind, now.kind} <= _PROVE and now.confidence < was.confidence:
        return True
    if now.kind is GateKind.MISSES and was.kind is now.kind:
        return now.misses > was.misses
    if explained or GateKind.ADAPTIVE in {was.kind, now.kind}:
        return False
    shares_count = GateKind.MISSES in {was.kind, now.kind}  # where one has no threshold
    alike = shares_count or now.runs == was.runs
    return alike and _share_that_passes(now) < _share_that_passes(was)


def _share_that_passes(rule: GateRule) -> Fraction:
    """Give the share of passes that is enough, more than 1 where none is."""
    needed = needed_passes(rule)
    return Fraction(rule.runs + 1 if needed is None else needed, rule.runs)


def _gate(rule: GateRule) -> str:
    needed = None if rule.kind is GateKind.ADAPTIVE else needed_passes(rule)
    needs = "" if needed is None else f", at least {needed} of {rule.runs}"
    return f"{gate_words_of(rule)}{needs}"


def _dropped(was: TestRules, now: TestRules) -> Iterator[Weaker]:
    for text in _gone(was.checks, now.checks):
        if not any(_is_lower_limit(check, than=text) for check in now.checks):
            yield Weaker(kind="check", was=text)
    gone = _gone(_unquoted(was.expected), _unquoted(now.expected))
    fewer = len(was.expected) - len(now.expected)
    told = 0 < fewer == len(gone)
    if told:
        written_as = dict(zip(_unquoted(was.expected), was.expected, strict=True))
        for text in gone:
            yield Weaker(kind="expectation", was=written_as[text])
    elif fewer > 0:
        before, after = (counted(len(each.expected), "expectation") for each in (was, now))
        yield Weaker(kind="expectation", was=before, now=after)
    dropped_whole = set(gone) if told else set()
    kept = [
        phrases
        for text, phrases in zip(_unquoted(was.expected), was.phrases, strict=False)
        if text not in dropped_whole
    ]
    for phrase in _gone(_all(kept), _all(now.phrases)):
        yield Weaker(kind="phrase", was=phrase)


def _is_lower_limit(check: str, *, than: str) -> bool:
    """Tell whether a check refuses all that another one does, for its limit is lower."""
    one, other = _LIMIT.fullmatch(check), _LIMIT.fullmatch(than)
    if one is None or other is None or one.group(1, 3) != other.group(1, 3):
        return False
    try:
        return float(one[2]) <= float(other[2])
    except ValueError:
        return False


def _gone(before: Sequence[str], after: Sequence[str]) -> list[str]:
    return list((Counter(before) - Counter(after)).elements())


def _all(phrases: Sequence[Sequence[str]]) -> list[str]:
    return [phrase for each in phrases for phrase in each]


def _unquoted(texts: Sequence[str]) -> list[str]:
    """Take texts for the same that differ in what is quoted in them alone."""
    return [text.translate(_QUOTES) for text in texts]
