"""Actions of themes: who may call them, and suggestions for a form."""

from __future__ import annotations

import pytest

from tests.ckan.harvesting import act

pytestmark = pytest.mark.in_process


def test_a_suggestion_for_what_a_form_has() -> None:
    found = act(
        "ukharvest_theme_suggest",
        title="Country parks",
        tags="nature conservation, walks",
        la_function="40",
        themes=["http://publications.europa.eu/resource/authority/data-theme/TRAN"],
    )
    assert (found["theme"], found["origin"]) == ("Environment", "function")
    assert found["secondary"] == ["Transport"]
    assert found["why"] == [
        "Local authority function: “Street care and cleaning”",
        "Title: “country park”",
        "Tags: “nature conservation”",
    ]
    assert [each["theme"] for each in found["ranking"]] == ["Environment", "Transport"]
    nothing = act("ukharvest_theme_suggest", title=None, tags=[{"name": "x"}, None, 5], themes=7)
    assert (nothing["theme"], nothing["ranking"]) == ("", [])
