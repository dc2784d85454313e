"""The words that the templates of ``report.html`` know: functions, constants and filters."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from ci_judge.renderers import wording
from ci_judge.renderers.attempt_history import (
    LEFT_OUT,
    changed_tests,
    history_of,
    kept_words,
    result_words,
    why_changed,
)
from ci_judge.renderers.budget_words import budget_words, reason_list
from ci_judge.renderers.calibration_words import calibration_line, corrected_words
from ci_judge.renderers.chance import comparison_lines, difference_words, worse_words
from ci_judge.renderers.changes import (
    MOST_NAMED,
    baseline_line,
    change_words,
    named_changes,
    was,
)
from ci_judge.renderers.item_results import CERTAIN, item_results
from ci_judge.renderers.next_steps import next_step
from ci_judge.renderers.panel_words import panel_lines, vote_word
from ci_judge.renderers.stopped_tests import NO_RATE, is_counted, passes_of, stop_words
from ci_judge.renderers.suspicions import (
    STANDS,
    suspicion_lines,
    suspicious_count,
    suspicious_tests,
)
from ci_judge.renderers.troubles import trouble_lines
from ci_judge.renderers.waivers import IN_SHORT, waived_tests, waiver_words


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in text.replace("\r\n", "\n").split("\n\n") if part.strip()]


def _moment(text: str) -> str:
    """``2026-03-02T09:30:00.000Z`` as ``2026-03-02 09:30 UTC``."""
    return f"{text[:16].replace('T', ' ')} UTC"


NAMES: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "history_of": history_of,
        "changed_tests": changed_tests,
        "why_changed": why_changed,
        "result_words": result_words,
        "kept_words": kept_words,
        "left_out": LEFT_OUT,
        "baseline_line": baseline_line,
        "named_changes": named_changes,
        "comparison_lines": comparison_lines,
        "worse_words": worse_words,
        "difference_words": difference_words,
        "most_named": MOST_NAMED,
        "change_words": change_words,
        "was": was,
        "marks": wording.MARKS,
        "words": wording.WORDS,
        "run_words": wording.RUN_WORDS,
        "standing": wording.standing,
        "in_order": wording.in_order,
        "verdict": wording.verdict,
        "next_step": next_step,
        "waiver_words": waiver_words,
        "waived_tests": waived_tests,
        "waived_in_short": IN_SHORT,
        "trouble_lines": trouble_lines,
        "panel_lines": panel_lines,
        "calibration_line": calibration_line,
        "corrected_words": corrected_words,
        "vote_word": vote_word,
        "item_results": item_results,
        "suspicion_lines": suspicion_lines,
        "suspicious_count": suspicious_count,
        "suspicious_tests": suspicious_tests,
        "certain": CERTAIN,
        "stands": STANDS,
        "forgiven": wording.forgiven,
        "mostly_open": wording.mostly_open,
        "passes_of": passes_of,
        "stop_words": stop_words,
        "is_counted": is_counted,
        "no_rate": NO_RATE,
        "interval": wording.interval,
        "rate_words": wording.rate_words,
        "paragraphs": _paragraphs,
    }
)
"""What a template calls by name."""

FILTERS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        "duration": wording.duration,
        "summary_cost": wording.summary_cost,
        "budget_words": budget_words,
        "reason_list": reason_list,
        "web_address": wording.web_address,
        "short_sha": wording.short_sha,
        "counted": wording.counted,
        "moment": _moment,
    }
)
"""What a template writes behind a ``|``."""
