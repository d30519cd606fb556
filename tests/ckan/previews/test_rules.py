"""Checks before a test starts: limits, encodings, and refusals that cost nothing."""

from __future__ import annotations

import pytest
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.previews import rules as preview_rules
from tests.ckan.previews.asked_checks import checked, errors_of, send
from tests.ckan.previews.previewing import work

pytestmark = pytest.mark.in_process


def test_checks_are_limited_per_person(
    app: CKANTestApp, editor: dict[str, str], visitors: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for user in (editor, None):
        for _ in range(preview_rules.MOST_A_MINUTE):
            assert send(app, user, text="{}").status_code == 302
        assert (
            "There are too many tests. Try again in 1 min."
            in errors_of(send(app, user, text="{}"))[0]
        )
        work()
    monkeypatch.setattr(preview_rules, "MOST_A_MINUTE", 1000)
    monkeypatch.setattr(preview_rules, "MOST_UNDER_WAY", 2)
    assert send(app, None, text="{}").status_code == 302
    assert "Try again in 5 min." in errors_of(send(app, None, text="{}"))[0]
    assert send(app, editor, text="{}").status_code == 302
    assert "Try again in 5 min." in errors_of(send(app, editor, text="{}"))[0]
    work()
    monkeypatch.setattr(preview_rules, "MOST_STORED", 11)
    assert "Try again in 24 h." in errors_of(send(app, None, text="{}"))[0]


def test_refused_test_costs_no_work(
    app: CKANTestApp, editor: dict[str, str], visitors: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[str] = []
    real = preview_rules.encode_text
    monkeypatch.setattr(
        preview_rules, "encode_text", lambda text: (encoded.append(text), real(text))[1]
    )
    for user in (editor, None):
        for _ in range(preview_rules.MOST_A_MINUTE):
            assert send(app, user, text="{}").status_code == 302
        encoded.clear()
        refused = send(app, user, text="[]", schema_text="{}", url="http://a.example/")
        assert "There are too many tests" in errors_of(refused)[0]
        assert encoded == []
        work()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", ["punycode", "idna", "undefined", "hex", "rot13", "utf-7", "mbcs"])
def test_pasted_text_with_odd_encoding_is_read_as_utf_8(
    app: CKANTestApp, editor: dict[str, str], name: str
) -> None:
    # Punycode takes a minute for 7,000 of these characters, and with their square for more.
    signs = "".join(map(chr, range(0x4E00, 0x9FA0))) * 5
    text = f'<?xml version="1.0" encoding="{name}"?>\n<a>{signs}</a>'
    assert preview_rules.encode_text(text) == text.encode()
    found, _page = checked(app, editor, text=text, source_type="inventory")
    assert found["state"] == "done"
    assert found["result"]["over"] != "fault"


@pytest.mark.parametrize("name", ["iso-8859-1", "windows-1252", "utf-16", "Shift_JIS", "latin1"])
def test_pasted_text_has_the_encoding_that_it_declares(name: str) -> None:
    text = f'<?xml version="1.0" encoding="{name}"?><a>Caf\u00e9 \u20ac \ud800</a>'
    content = preview_rules.encode_text(text)
    assert content == text.encode(name, "xmlcharrefreplace")
