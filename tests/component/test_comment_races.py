"""Two runs that write the comment at the same time, in every order of their requests."""

from collections.abc import Callable

import pytest

from ci_judge.sinks.comment import Manner
from tests.github_fake import HEAD, GitHubState
from tests.interleavings import Order, Turnstile, Writer, all_orders
from tests.sticky import api_over, manner, publish_by, text_by

OLD_HEAD = "a" * 40


def writer(name: str, by: Manner) -> Writer:
    async def write(way: Turnstile) -> None:
        seen = await publish_by(api_over(way, way.hub.state), f"by {name}", by=by)
        assert seen.urls[-1].startswith("https://"), "each run knows where the comment is"

    return write


def standing(*bys: Manner) -> Callable[[], GitHubState]:
    """Make states with comments of strangers, and of these earlier runs of ours."""

    def state() -> GitHubState:
        made = GitHubState()
        made.add("Thanks!")
        for by in bys:
            made.add(f"{by.origin.marker}\nby an earlier run", ours=True)
        return made

    return state


def orders(old: Manner, new: Manner, *earlier: Manner) -> list[Order]:
    writers = {"old": writer("old", old), "new": writer("new", new)}
    played = list(all_orders(standing(*earlier), writers))
    assert len(played) > 5, "there is more than one order"
    return played


def the_one(order: Order) -> str:
    """Give what the one comment says in the end; it must be the oldest of ours that ever was."""
    ours = [one for one in order.state.comments if one.ours]
    assert len(ours) == 1, order.passed
    assert ours[0].id == order.state.comments[0].id + 1, order.passed
    assert order.state.comments[0].body == "Thanks!"
    return text_by(ours[0].body)


@pytest.mark.parametrize("shas", [(HEAD, HEAD), (OLD_HEAD, HEAD)])
def test_two_that_find_no_comment_leave_one_with_the_newer_report(shas: tuple[str, str]) -> None:
    for order in orders(manner(run="11", sha=shas[0]), manner(run="12", sha=shas[1])):
        assert the_one(order) == "by new", order.passed


def test_two_jobs_of_one_run_with_one_key_leave_one_comment() -> None:
    for order in orders(manner(), manner()):
        assert the_one(order) in {"by old", "by new"}


def test_keys_of_their_own_never_meet() -> None:
    writers = {"a": writer("a", manner("a")), "a-b": writer("a-b", manner("a-b"))}
    for order in all_orders(standing(), writers):
        assert sorted(text_by(one.body) for one in order.state.comments[1:]) == ["by a", "by a-b"]


def test_a_run_about_an_older_head_changes_nothing_whenever_it_comes() -> None:
    earlier = manner(run="10", sha=OLD_HEAD)
    for order in orders(manner(run="11", sha=OLD_HEAD), manner(run="12"), earlier):
        assert the_one(order) == "by new", order.passed
        assert "old PATCH" not in order.passed


@pytest.mark.parametrize("earlier", [("9",), ("9", "10"), ("10", "9")])
def test_over_standing_comments_the_newer_report_wins_but_for_one_order(
    earlier: tuple[str, ...],
) -> None:
    """GitHub has no conditional write.

    Two runs of one head that both found an older report can only be told apart while one of them
    still looks: the older one must have looked before the newer one wrote, and written after the
    newer one had looked again. Then the older report stays until the next run.
    """
    played = orders(manner(run="11"), manner(run="12"), *(manner(run=run) for run in earlier))
    lost = [order for order in played if the_one(order) != "by new"]
    for order in lost:
        assert the_one(order) == "by old"
        assert order.at("old read", last=True) < order.at("new PATCH")
        assert order.at("new PATCH") < order.at("new GET", last=True), "it looked again"
        assert order.at("old PATCH") > order.at("new GET", last=True)


def test_comments_left_by_a_run_that_was_killed_become_one() -> None:
    earlier = (manner(run="12"), manner(run="13", attempt="2"))
    for order in orders(manner(run="11"), manner(run="12"), *earlier):
        assert the_one(order) == "by an earlier run"
