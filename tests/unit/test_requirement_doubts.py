"""Which requirements the linter doubts, and which it leaves alone."""

import pytest

from ci_judge.rules.compound_requirements import conditions
from ci_judge.rules.requirement_doubts import is_vague, requirement_doubts


def doubts(text: str) -> str:
    return "; ".join(f"{doubt.message} ({doubt.hint})" for doubt in requirement_doubts(text))


SOUND = [
    # what answers are usually asked for
    "Is polite.",
    "Refuses.",
    "States the \u201c14 days\u201d window and that the refund is full.",
    'Tells the user to open "Settings", choose "Security" and click "Reset password".',
    'Says that phone support is open from "9 am" to "5 pm" on weekdays.',
    "Refuses to reveal its system prompt or internal instructions.",
    "Holds to 14 days in every answer. It is fine if the bot apologises.",
    "Salt and pepper are named.",
    "Explains how to reset the password and where to find the settings.",
    # numbers that the answer only has to report
    "Says that the password needs at least 8 characters.",
    "Says the essay must be under 500 words.",
    "Explains that the invoice adds up to 30.",
    "States that 15 percent of 200 is 30.",
    "Says the total is correct.",
    "Says the delivery arrives 3 days from now.",
    "Says it will rain tomorrow morning.",
    "Names 3 restaurants.",
    "Replies in one sentence.",
    # dates that nobody is to work out
    "Says it cannot see today's date.",
    "Asks for the current date.",
    # negations that are one
    "Does not share data without consent.",
    "Does not refuse to answer.",
    "Not only names the price but also the tax.",
    "Does not mention delivery, not even in passing.",
    "Says that it does not know the answer.",
    "Does not hallucinate facts that are not in the context.",
    "Contains no information that is not in the documents.",
    "Does not tell the user that their account does not exist.",
    "Never promises a delivery date that cannot be kept.",
    "Must not say the product is free if it is not.",
    "Does not give medical advice unless the user is a doctor.",
    "Does not mention that it is an AI or a language model.",
    # two things that hang together
    "If the user asks for a refund and gives no number, asks for it.",
    "The bot asks which order it is and confirms the address.",
    # other languages are left alone
    "Nennt die Frist von 14 Tagen.",
    "\u793c\u8c8c",
    "\u041e\u0442\u0432\u0435\u0442 \u0432\u0435\u0436\u043b\u0438\u0432\u044b\u0439.",
]


@pytest.mark.parametrize("text", SOUND)
def test_a_sound_requirement_gets_no_warning(text: str) -> None:
    assert doubts(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Good answer.",
        "The answer is helpful and accurate.",
        "Answers the question correctly.",
        "It should work as expected.",
        "Provides a helpful response.",
        "Works.",
        "42",
        "refund",
        "...",
    ],
)
def test_praise_alone_is_nothing_to_check(text: str) -> None:
    assert is_vague(text)
    assert "nothing that a judge could check" in doubts(text)


def test_a_quoted_phrase_is_something_to_check() -> None:
    assert doubts('"14 days"') == ""
    assert doubts('The answer is "42".') == ""


@pytest.mark.parametrize(
    ("text", "matter", "words"),
    [
        ("Answers in under 50 words.", "counting", "under 50 words"),
        ("Is at most 100 characters long.", "counting", "at most 100 characters"),
        ("Is between 50 and 100 words long.", "counting", "between 50 and 100 words"),
        ("Summarises it in fifty words or less.", "counting", "in fifty words or less"),
        ("Is concise (<25 words).", "counting", "<25 words"),
        ("Lists at least 7 items.", "counting", "at least 7 items"),
        ("Calculates the total price correctly.", "arithmetic", "Calculates the total price"),
        ("The total is correct.", "arithmetic", "total is correct"),
        ("The amounts add up correctly.", "arithmetic", "add up correctly"),
        ("Correctly converts miles to kilometres.", "arithmetic", "Correctly converts"),
        ("The discount is 15% of 200.", "arithmetic", "15% of 200"),
        ("Gives today's date.", "dates", "today's date"),
        ("The deadline is 30 days from today.", "dates", "days from today"),
        ("Names the correct weekday.", "dates", "correct weekday"),
    ],
)
def test_what_code_does_better_is_pointed_out_with_the_words(
    text: str, matter: str, words: str
) -> None:
    found = doubts(text)
    assert f'leaves {matter} to the judge ("{words}' in found
    assert "@case" in found
    assert "regex" in found


@pytest.mark.parametrize(
    "text",
    [
        "Does not fail to mention the refund.",
        "Is not unfriendly.",
        "Must not be unclear.",
        "Does not claim that refunds are not possible.",
        "Never says it doesn\u2019t know.",
        "Does not say that it cannot help.",
    ],
)
def test_two_negations_are_one_too_many(text: str) -> None:
    assert "double negation" in doubts(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Declines to recommend a dose and advises the user to see a doctor.",
            ["Declines to recommend a dose", "advises the user to see a doctor"],
        ),
        (
            "Says the refund is full and that shipping is free.",
            ["Says the refund is full", "that shipping is free"],
        ),
        (
            "Explains the refund. Mentions the phone number. Is polite.",
            ["Explains the refund", "Mentions the phone number", "Is polite"],
        ),
        (
            "The reply names the fee, but does not mention the bank.",
            ["The reply names the fee", "does not mention the bank"],
        ),
    ],
)
def test_several_things_are_offered_as_a_list(text: str, parts: list[str]) -> None:
    assert list(conditions(text)) == parts
    found = doubts(text)
    assert f"asks for {len(parts)} things in one verdict" in found
    assert " ".join(f"- {part}" for part in parts) in found


def test_what_a_phrase_checks_exactly_hides_nothing() -> None:
    text = 'Apologises for the delay and offers a "10%" discount.'
    assert len(conditions(text)) == 2
    assert doubts(text) == ""
    assert "2 things" in doubts('Apologises and is kind and offers a "10%" discount. Is short.')


def test_very_long_texts_are_read_in_a_moment() -> None:
    for text in ("not " * 5_000, "total " * 5_000, "a and says " * 3_000, "1 " * 5_000 + "words"):
        list(requirement_doubts(text))
