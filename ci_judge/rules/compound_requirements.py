"""The separate things that one English requirement asks for."""

import re
from collections.abc import Iterator

_VERBS = (
    "acknowledges|adds|admits|advises|answers|apologises|apologizes|asks|avoids|cites|confirms|"
    "contains|corrects|declines|describes|directs|does|encourages|explains|gives|has|includes|"
    "informs|invites|is|keeps|lists|mentions|names|offers|points|promises|proposes|provides|quotes|"
    "recommends|refers|refuses|remains|repeats|requires|says|shows|stays|states|suggests|summarises|"
    "summarizes|tells|thanks|uses|warns"
)
_STARTS = rf"(?:{_VERBS}|must|should|never|cannot|doesn['\u2019]t|isn['\u2019]t)"
_JOINT = re.compile(
    rf",?\s+(?:and|but)\s+(?:also\s+|then\s+)?(?=(?:that\s|(?:it\s+)?{_STARTS}\b))", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[\w\"\u201d)])[.;!]\s+(?=\S)")
_STATEMENT = re.compile(
    rf"(?:(?:it|(?:the\s+)?(?:answer|reply|response|bot|assistant|model|agent|summary))\s+)?"
    rf"(?:also\s+)?{_STARTS}\b",
    re.IGNORECASE,
)
_ALLOWANCE = re.compile(
    r"it\s+(?:is|'s)\s+(?:also\s+)?(?:ok|okay|fine|acceptable|enough|allowed|not\s+necessary)\b",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"\b(?:if|when|whenever|whether|while|because|since|who|which|where|whose|unless|until|between|"
    r"both|either|how|what|after|before|as long as)\b",
    re.IGNORECASE,
)
_FEWEST_WORDS = 2


def conditions(text: str) -> tuple[str, ...]:
    """Split a requirement into what it asks for, one text each; the whole where it is one thing.

    Sentences that make no demand of the answer (notes to whoever judges) are left out, and what
    hangs on an "if", a "which" or the like is not taken apart.
    """
    parts = [
        part
        for number, sentence in enumerate(_SENTENCE.split(text.strip()))
        if number == 0 or _demands(sentence)
        for part in _joined(sentence.strip())
    ]
    return tuple(part for part in parts if len(part.split()) >= _FEWEST_WORDS) or (text,)


def _demands(sentence: str) -> bool:
    return _STATEMENT.match(sentence) is not None and _ALLOWANCE.match(sentence) is None


def _joined(sentence: str) -> Iterator[str]:
    begin = 0
    for joint in _JOINT.finditer(sentence):
        if _SUBORDINATE.search(sentence, begin, joint.start()):
            continue
        yield sentence[begin : joint.start()].strip(" .")
        begin = joint.end()
    yield sentence[begin:].strip(" .")
