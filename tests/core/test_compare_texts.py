"""Two texts shown as one."""

from __future__ import annotations

from ckanext.ukharvest.core.dataset_changes import NEW, OLD, SAME, compare_texts


def test_removed_and_added_words_are_marked() -> None:
    assert compare_texts("All car parks", "All the car parks") == [
        (SAME, "All"),
        (NEW, " the"),
        (SAME, " car parks"),
    ]
    assert compare_texts("car parks", "car") == [(SAME, "car"), (OLD, " parks")]


def test_texts_with_little_in_common_are_not_mixed() -> None:
    assert compare_texts("2026-05-01", "2026-06-01") == [(OLD, "2026-05-01"), (NEW, "2026-06-01")]


def test_one_text_alone_is_all_new_or_all_old() -> None:
    assert compare_texts("", "new") == [(NEW, "new")]
    assert compare_texts("old", "") == [(OLD, "old")]
    assert compare_texts("", "") == []
