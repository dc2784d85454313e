from hypothesis import given
from hypothesis import strategies as st

from ci_judge.renderers.html_room import Room


def test_a_small_report_shows_everything() -> None:
    room = Room(total_bytes=100, tests=2)
    room.next_test()
    assert room.take(50)
    assert not room.take(1)
    room.next_test()
    assert room.take(50)


def test_what_one_leaves_the_next_may_use() -> None:
    room = Room(total_bytes=90, tests=3)
    room.next_test()
    room.next_test()
    assert room.take(45)
    room.next_test()
    assert room.take(45)


@given(st.lists(st.lists(st.integers(0, 200)), min_size=1), st.integers(0, 1000))
def test_never_gives_more_than_it_has_and_a_fair_share_to_each(
    wishes: list[list[int]], total: int
) -> None:
    room, given_away = Room(total_bytes=total, tests=len(wishes)), 0
    for sizes in wishes:
        room.next_test()
        if sizes and sizes[0] <= total // len(wishes):
            assert room.take(sizes[0])
            given_away += sizes.pop(0)
        given_away += sum(size for size in sizes if room.take(size))
    assert given_away <= total
