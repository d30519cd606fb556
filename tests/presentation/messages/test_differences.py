"""Two texts shown as one."""

from __future__ import annotations

from ckanext.ukharvest.presentation.messages.differences import NEW, OLD, SAME, between


def test_words_that_went_and_came() -> None:
    assert between("All car parks", "All the car parks") == [
        (SAME, "All"),
        (NEW, " the"),
        (SAME, " car parks"),
    ]
    assert between("car parks", "car") == [(SAME, "car"), (OLD, " parks")]


def test_texts_with_little_in_common_are_not_mixed() -> None:
    assert between("2026-05-01", "2026-06-01") == [(OLD, "2026-05-01"), (NEW, "2026-06-01")]


def test_one_of_them_alone_and_none() -> None:
    assert between("", "new") == [(NEW, "new")]
    assert between("old", "") == [(OLD, "old")]
    assert between("", "") == []
