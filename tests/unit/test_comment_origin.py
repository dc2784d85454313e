from hypothesis import given
from hypothesis import strategies as st

from ci_judge.github_api import Comment
from ci_judge.sinks.comment_choice import choose
from ci_judge.sinks.comment_origin import Origin, origin_of

anything = st.text(st.characters(exclude_categories=()), max_size=30)  # halves of characters too
numbers = st.integers(0, 30).map(str)
shas = st.sampled_from(["a" * 40, "b" * 40, ""])
origins = st.builds(
    Origin, key=st.just("k"), sha=shas, run=numbers | st.just(""), attempt=numbers | st.just("")
)


def comment(id_: int, origin: Origin) -> Comment:
    return Comment(id=id_, url="", body=f"{origin.marker}\n{id_}")


@given(key=anything, sha=anything, run=anything, attempt=anything)
def test_the_marker_reads_back_and_ends_nothing_early(
    key: str, sha: str, run: str, attempt: str
) -> None:
    origin = Origin(key=key, sha=sha, run=run, attempt=attempt)
    assert origin.marker.count("-->") == 1
    assert len(origin.marker.splitlines()) == 1
    assert origin_of(f"{origin.marker}\nwhatever\n{origin.marker}") == origin
    assert origin_of(f"{origin.marker}  \r\nwhatever") == origin
    assert origin_of(f"> {origin.marker}") is None


@given(
    mine=origins, others=st.lists(origins, max_size=4), head=shas | st.none(), binds=st.booleans()
)
def test_what_stands_in_the_end_is_never_older_than_what_stood(
    mine: Origin, others: list[Origin], head: str | None, *, binds: bool
) -> None:
    body = f"{mine.marker}\nmine"
    standing = [comment(number, origin) for number, origin in enumerate(others)]
    choice = choose(body, standing, head=head, head_binds=binds)
    chosen = origin_of(choice.body)
    assert chosen is not None
    kept = bool(choice.kept)
    assert (choice.body == body) is not kept
    best = max((origin.rank for origin in others), default=(-1, -1))
    if kept:
        assert chosen.rank == best, "of several the newest"
    else:
        assert mine.rank >= best
        if others and binds and head is not None:
            assert mine.sha == head


@given(mine=origins)
def test_where_none_stands_ours_does(mine: Origin) -> None:
    body = f"{mine.marker}\nmine"
    assert choose(body, [], head="c" * 40, head_binds=True).body == body
