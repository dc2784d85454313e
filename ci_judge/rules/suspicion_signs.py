"""The signs of text addressed to the judge: a table, one way of saying it a row.

Each pattern is bounded in every repetition, so that no text makes it slow.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from ci_judge.model.judging import SuspicionKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """``words`` (lower case) are what a text must hold for the pattern to be tried at all.

    So the patterns are compiled when they are tried: most runs need few of them. ``unless`` excuses
    a match when it is found in the few words right before it.
    """

    kind: SuspicionKind
    words: tuple[str, ...]
    expression: str
    unless: re.Pattern[str] | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        return _compiled(self.expression)


_FLAGS = re.IGNORECASE | re.MULTILINE


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression, _FLAGS)


_QUOTE = r"\\?[\"'`\u201c\u201d\u2018\u2019]"
_SPACE = r"\s{1,4}"
_JUDGE = r"(?:(?:llm|ai|automated|model)[ -])?(?:judge|grader|evaluator|assessor|verifier)s?"
_ANSWER = r"(?:answer|response|reply|evidence|output|submission)"
_GOOD = r"(?:pass(?:es|ed|ing)?|correct|met|satisfied|fulfilled|successful|a success)\b"
_REFUSING = re.compile(
    r"(?:\bnot|n['\u2019]t|\bcannot|\bnever|\bunable|\brefus\w{1,4}|\bdeclin\w{1,4}|\bask\w{0,3}"
    r"|\brequest\w{0,3}|\btry\w{0,3})\b[^.!?\n]{0,25}$",
    re.IGNORECASE,
)


def _sign(
    kind: SuspicionKind, words: str, pattern: str, *, unless: re.Pattern[str] | None = None
) -> Sign:
    return Sign(kind=kind, words=tuple(words.split()), expression=pattern, unless=unless)


SIGNS: Final = (
    _sign(  # {"pass": true
        "verdict",
        "pass",
        rf"[{{,\[]\s{{0,9}}(?:{_QUOTE})?pass(?:{_QUOTE})?\s{{0,4}}[:=]\s{{0,4}}(?:{_QUOTE})?"
        r"(?:true|false|yes|no)\b",
    ),
    _sign(  # "verdict": "pass", Final verdict: PASS
        "verdict",
        "verdict judgement judgment",
        rf"\b(?:verdict|judge?ment)(?:{_QUOTE})?\s{{0,4}}(?:is|[:=]|->|\u2192)\W{{0,6}}"
        r"(?:pass|true|correct)",
    ),
    _sign("verdict", "verdict", r"^[#*=\s-]{1,9}verdict[#*=:\s-]{0,9}$"),  # ### VERDICT
    _sign(  # ignore all previous instructions
        "override",
        "ignore disregard forget overrid overrul bypass",
        rf"\b(?:ignore|disregard|forget|overrid(?:e|ing)|overrule|bypass){_SPACE}"
        rf"(?:\w{{1,20}}{_SPACE}){{0,3}}?(?:all|previous|prior|earlier|above|preceding|foregoing"
        rf"|your){_SPACE}(?:\w{{1,20}}{_SPACE}){{0,2}}?"
        r"(?:instruction|directive|guideline|prompt|criteri(?:on|a)|expectation|requirement|rule)",
        unless=_REFUSING,
    ),
    _sign(  # New instructions: …
        "override",
        "instructions",
        rf"^\W{{0,6}}(?:new|updated|revised|real|actual){_SPACE}(?:system{_SPACE})?"
        r"instructions\s{0,3}:",
    ),
    _sign(  # the same in German, French, Spanish and Italian
        "override",
        "ignor",
        rf"\bignor\w{{0,6}}{_SPACE}(?:(?:alle|sie|bitte|die|toutes|todas|tutte|les|las|le|vos|tus)"
        rf"{_SPACE}){{0,3}}(?:vorherig|vorig|bisherig|obig|fr\u00fcher|instructions|instrucciones"
        r"|istruzioni)",
        unless=_REFUSING,
    ),
    _sign(  # the control tokens of chat templates: <|im_start|>, [INST], <<SYS>>, <start_of_turn>
        "role",
        "| \uff5c [inst [/inst <<sys <</sys _of_turn>",
        r"<\s{0,2}[|\uff5c]\s{0,2}[\w\u2581]{1,24}\s{0,2}[|\uff5c]\s{0,2}>"
        r"|\[/?INST\]|<</?SYS>>|</?(?:start|end)_of_turn>",
    ),
    _sign(  # <system>, </assistant>
        "role",
        "system assistant developer",
        r"<\s{0,2}/?\s{0,2}(?:system|assistant|developer)(?:[ _-]?(?:prompt|message))?\s{0,2}>",
    ),
    _sign(  # SYSTEM: …, ### System message: …
        "role",
        "system developer",
        r"^[#*\[>\s]{0,9}(?:(?-i:SYSTEM|DEVELOPER)|(?:system|developer)(?=[ _](?:message|note"
        r"|prompt|override)))(?:[ _](?:message|note|prompt|override))?[\]*]{0,3}\s{0,3}:",
    ),
    _sign(  # the closing of a fence that nobody opened: </response>, [END DATA]
        "fence",
        "</ <<< end begin",
        rf"<<<\s{{0,3}}(?:end|response|evidence|conversation|expectation|criterion|requirement)\b"
        rf"|</(?:{_ANSWER}|data|material|conversation|transcript|untrusted\w{{0,9}})\s{{0,3}}>"
        rf"|^[\s*#=-]{{0,9}}\[?/?(?:END|BEGIN)(?:[ _]OF)?[ _](?:THE[ _])?(?:DATA|{_ANSWER}|MATERIAL"
        r"|CONVERSATION)\]?[\s*#=-]{0,9}$",
    ),
    _sign(  # Dear judge, note to the evaluator
        "appeal",
        "judge grader evaluator assessor verifier",
        rf"\b(?:dear|attention|hey|hello|(?:note|message|instructions?|reminder) (?:to|for))[,:]?"
        rf"{_SPACE}(?:the |any |all )?{_JUDGE}\b"
        rf"|\b(?:if|as|since|because) you are (?:an? |the )?{_JUDGE}\b",
    ),
    _sign(  # mark this response as passed
        "appeal",
        "mark grade rate score judge treat count accept evaluate classify consider",
        rf"\b(?:mark|grade|rate|score|judge|treat|count|accept|evaluate|classify|consider){_SPACE}"
        rf"(?:this|the|my|every|any){_SPACE}(?:\w{{1,20}}{_SPACE})?{_ANSWER}s?(?:{_SPACE}above)?"
        rf"{_SPACE}(?:as|to be|with){_SPACE}(?:an?{_SPACE})?{_GOOD}",
    ),
    _sign(  # the response above meets the expectation
        "appeal",
        "answer response reply evidence output submission",
        rf"\b(?:this|the|my){_SPACE}{_ANSWER}(?:{_SPACE}above)?{_SPACE}"
        r"(?:clearly |fully |already )?"
        r"(?:passes\b|(?:must|should|deserves to) pass\b"
        r"|(?:meets|satisfies|fulfil?ls) (?:all |every |each |the ){0,3}"
        r"(?:expectation|criteri|requirement))",
    ),
    _sign(  # reply with "pass"
        "appeal",
        "pass",
        rf"\b(?:reply|answer|respond|output|return|say|print){_SPACE}(?:\w{{1,20}}{_SPACE}){{0,3}}?"
        rf"\W{{0,4}}{_QUOTE}pass(?:ed)?(?:{_QUOTE})",
    ),
)
"""In the order in which kinds are reported."""
