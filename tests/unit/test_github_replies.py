import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.github_api.limits import is_rate_limit, limit_seconds
from ci_judge.github_api.replies import next_page

PAGE_2 = "https://api.github.com/repositories/1/pulls?state=open&page=2"


@pytest.mark.parametrize(
    ("header", "place"),
    [
        # as in GitHub's documentation ("Using pagination in the REST API")
        (f'<{PAGE_2}&b>; rel="prev", <{PAGE_2}>; rel="next", <https://x/9>; rel="last"', PAGE_2),
        (f'<{PAGE_2}>; rel="next"', PAGE_2),
        (f"<{PAGE_2}>; rel=next", PAGE_2),
        (f'<{PAGE_2}>; title="a; b"; rel="next"', PAGE_2),
        (f'<{PAGE_2}>; rel="last next"', PAGE_2),
        (f'<{PAGE_2}>;REL="NEXT"', PAGE_2),
        ('<https://x/1>; rel="first"', None),
        ('<https://x/1>; rel="nextish"', None),
        ('<https://x/1>; title="rel=next"', None),
        ("", None),
        ("nonsense", None),
    ],
)
def test_the_next_page_is_the_one_named_so(header: str, place: str | None) -> None:
    assert next_page({"link": header}) == place


@given(header=st.text(alphabet='<>;,"= relnxtabc:/', max_size=200))
def test_no_header_breaks_the_reading(header: str) -> None:
    next_page({"link": header})


@given(
    headers=st.dictionaries(
        st.sampled_from(["retry-after", "x-ratelimit-remaining", "x-ratelimit-reset"]),
        st.text(max_size=20) | st.integers(-9, 2**70).map(str),
    ),
    earlier=st.integers(0, 5),
)
def test_no_header_breaks_the_wait_or_makes_it_negative(
    headers: dict[str, str], earlier: int
) -> None:
    assert limit_seconds(headers, earlier=earlier, now=1_800_000_000.0) >= 0.0


@pytest.mark.parametrize(("earlier", "seconds"), [(0, 60.0), (1, 120.0), (2, 240.0)])
def test_without_a_word_from_github_the_wait_doubles_from_a_minute(
    earlier: int, seconds: float
) -> None:
    assert limit_seconds({}, earlier=earlier, now=0.0) == seconds


@pytest.mark.parametrize(
    ("status", "headers", "said", "limit"),
    [
        (429, {}, "", True),
        (403, {"retry-after": "1"}, "", True),
        (403, {"x-ratelimit-remaining": "0"}, "", True),
        (403, {}, "You have exceeded a secondary rate limit", True),
        (403, {"x-ratelimit-remaining": "1"}, "Resource not accessible by integration", False),
        (404, {"x-ratelimit-remaining": "0"}, "Not Found", False),
        (500, {"retry-after": "1"}, "", False),
    ],
)
def test_a_limit_is_told_from_a_refusal(
    status: int, headers: dict[str, str], said: str, *, limit: bool
) -> None:
    assert is_rate_limit(status, headers, said) is limit
