"""Two texts shown as one."""

from __future__ import annotations

from ckanext.ukharvest.presentation.messages.differences import NEW, OLD, SAME, between


def test_removed_and_added_words_are_marked() -> None:
    assert between("All car parks", "All the car parks") == [
        (SAME, "All"),
        (NEW, " the"),
        (SAME, " car parks"),
    ]
    assert between("car parks", "car") == [(SAME, "car"), (OLD, " parks")]


def test_texts_with_little_in_common_are_not_mixed() -> None:
    assert between("2026-05-01", "2026-06-01") == [(OLD, "2026-05-01"), (NEW, "2026-06-01")]


def test_one_text_alone_is_all_new_or_all_old() -> None:
    assert between("", "new") == [(NEW, "new")]
    assert between("old", "") == [(OLD, "old")]
    assert between("", "") == []
