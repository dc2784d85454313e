"""Which run's report the comment shows: never an older one's, never one about another head."""

import pytest

from tests.github_fake import HEAD, GitHubState, github
from tests.sticky import FAILING, manner, publish, text_by

OLD_HEAD = "a" * 40


def said(hub: GitHubState) -> list[str]:
    return [text_by(one.body) for one in hub.comments if one.ours]


@pytest.mark.parametrize(
    ("first", "second", "stays"),
    [
        (("12", "1"), ("11", "1"), "first"),
        (("12", "1"), ("11", "9"), "first"),
        (("12", "2"), ("12", "1"), "first"),
        (("9", "1"), ("10", "1"), "second"),  # numbers, not text
        (("12", "1"), ("12", "2"), "second"),
        (("12", "1"), ("12", "1"), "second"),
        (("", ""), ("12", "1"), "second"),
        (("12", "1"), ("", ""), "first"),
        (("9" * 30, "1"), ("12", "1"), "second"),  # no run id of GitHub's
    ],
)
def test_a_lower_run_or_attempt_never_replaces_a_higher_one(
    first: tuple[str, str], second: tuple[str, str], stays: str
) -> None:
    with github() as hub:
        publish(hub, "first", by=manner(run=first[0], attempt=first[1]))
        seen = publish(hub, "second", by=manner(run=second[0], attempt=second[1]))
        (comment,) = hub.comments
    assert said(hub) == [stays]
    assert seen.urls == [hub.url_of(comment)], "whoever wrote it, this is the comment"
    assert ("is older" in "".join(seen.told)) == (stays == "first")


def test_a_run_whose_commit_is_not_the_head_any_more_replaces_nothing() -> None:
    with github() as hub:
        publish(hub, "about the head", by=manner(run="11"))
        seen = publish(hub, "late", by=manner(run="12", sha=OLD_HEAD))
    assert said(hub) == ["about the head"]
    (told,) = seen.told
    assert 'run 11, attempt 1, commit "fffffff" stays' in told
    assert 'commit "aaaaaaa" is not the head' in told


def test_not_even_a_report_about_a_head_before_it() -> None:
    with github() as hub:
        hub.pulls[0].sha = "c" * 40
        publish(hub, "first", by=manner(run="11", sha="c" * 40))
        hub.pulls[0].sha = HEAD
        publish(hub, "second", by=manner(run="12", sha=OLD_HEAD))
    assert said(hub) == ["first"]


def test_where_no_comment_stands_a_report_about_an_older_head_is_better_than_none() -> None:
    with github() as hub:
        publish(hub, "late", by=manner(sha=OLD_HEAD))
        assert said(hub) == ["late"]
        publish(hub, "about the head", by=manner(run="13"))
    assert said(hub) == ["about the head"]


def test_a_run_that_was_never_about_the_head_replaces_its_like_and_not_what_is_about_the_head() -> (
    None
):
    with github() as hub:
        for run in ("11", "12"):
            publish(hub, f"run {run}", by=manner(run=run, sha=OLD_HEAD, head_binds=False))
        assert said(hub) == ["run 12"]
        publish(hub, "about the head", by=manner(run="13"))
        publish(hub, "nightly", by=manner(run="14", sha=OLD_HEAD, head_binds=False))
    assert said(hub) == ["about the head"]


def test_the_head_is_looked_up_by_rest_before_each_write() -> None:
    with github() as hub:
        publish(hub)
        publish(hub, by=manner(run="13"))
    asked = [
        f"{method} {path.rpartition('/octo-org/example/')[2]}" for method, path, _ in hub.requests
    ]
    write = asked.index(f"PATCH issues/comments/{hub.comments[0].id}")
    assert asked[write - 2] == "GET pulls/7"


def test_a_head_that_cannot_be_found_out_is_no_reason_to_overwrite() -> None:
    with github() as hub:
        publish(hub, "first", by=manner(run="11"))
        hub.pulls.clear()
        with pytest.raises(Exception, match="The comment was not posted: GitHub answered 404"):
            publish(hub, "second", by=manner(run="12"))
    assert said(hub) == ["first"]


def test_second_comments_of_ours_are_removed_and_the_oldest_stays() -> None:
    with github() as hub:
        for run in ("12", "11", "10"):
            hub.add(f"{manner(run=run).origin.marker}\nrun {run}", ours=True)
        oldest = hub.comments[0].id
        publish(hub, "now", by=manner(run="13"), report=FAILING)
    assert [one.id for one in hub.comments] == [oldest]
    assert said(hub) == ["now"]


def test_the_newest_of_several_is_moved_to_the_oldest() -> None:
    with github() as hub:
        for run in ("10", "14", "12"):
            hub.add(f"{manner(run=run).origin.marker}\nrun {run}", ours=True)
        publish(hub, "now", by=manner(run="13"))
    assert said(hub) == ["run 14"]
    assert (hub.comments[0].body or "").startswith(manner(run="14").origin.marker)
