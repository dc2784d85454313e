"""Every case of the collection has a test here, if only one that says why it is skipped."""

from tests.cases.collection import all_ids, ids_with_a_test, required

required()


def test_every_case_is_played_or_skipped_with_a_reason() -> None:
    assert all_ids() == ids_with_a_test()
