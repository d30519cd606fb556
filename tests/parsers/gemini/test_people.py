"""Responsible parties of GEMINI records and of their resources."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.errors import SkipRecord
from ckanext.ukharvest.core.options import validate
from ckanext.ukharvest.parsers.gemini import parser as gemini
from tests.parsers.gemini.elements import document, parsed, text


def party(name: str = "", role: str = "", email: str = "", more: str = "") -> str:
    parts = text("organisationName", name) if name else ""
    code = f'<gmd:role><gmd:CI_RoleCode codeListValue="{role}"/></gmd:role>' if role else ""
    address = (
        "<gmd:contactInfo><gmd:CI_Contact><gmd:address><gmd:CI_Address>"
        f"{''.join(text('electronicMailAddress', each) for each in email.split())}"
        "</gmd:CI_Address></gmd:address></gmd:CI_Contact></gmd:contactInfo>"
    )
    return (
        f"<gmd:pointOfContact><gmd:CI_ResponsibleParty>{parts}{more}{address}{code}"
        "</gmd:CI_ResponsibleParty></gmd:pointOfContact>"
    )


def test_responsible_parties_by_their_roles() -> None:
    record = parsed(
        document(
            identification=party("Survey", "author", "survey@council.example")
            + party("Council", "publisher")
            + party("Council", "custodian", "data@council.example")
            + party("Trust", "owner")
            + party("Desk", "pointOfContact", "desk@council.example")
            + party("Nobody in particular")
            + '<gmd:pointOfContact xlink:href="#desk"/>'
        )
    )
    assert record.extras["responsible-party"] == (
        "Survey (author); Council (publisher, custodian); Trust (owner); Desk (pointOfContact);"
        " Nobody in particular"
    )
    assert record.extras["provider"] == "Trust"
    assert record.publisher
    assert record.publisher.name == "Council"
    assert record.contact
    assert record.contact.email == "desk@council.example"
    assert record.author
    assert record.author.name == "Survey"


def test_a_contact_without_email_gives_way_to_one_with() -> None:
    record = parsed(
        document(
            identification=party("Desk", "pointOfContact") + party("Shop", email="a@b.example")
        )
    )
    assert record.contact
    assert record.contact.name == "Shop"
    record = parsed(document(identification=party("Desk")))
    assert record.contact
    assert record.contact.name == "Desk"


def test_a_bad_email_is_reported_and_the_next_one_read() -> None:
    record = parsed(document(identification=party("Desk", email="desk desk@council.example")))
    assert record.contact
    assert record.contact.email == "desk@council.example"
    (problem,) = record.problems
    assert (problem.code, problem.field) == ("bad-email", "gmd:electronicMailAddress")


def test_a_person_or_post_stands_for_a_missing_organisation() -> None:
    record = parsed(document(identification=party(more=text("positionName", "Data desk"))))
    assert record.extras["responsible-party"] == "Data desk"


def test_records_of_some_organisations_are_left_out() -> None:
    content = document(identification=party("Department for Food, Rivers and Lakes", "owner"))
    name = "DEPARTMENT for Food, Rivers and Lakes"
    for given in ([name], f"Somebody; {name}"):
        options = validate({"skip_responsible_party": given}, gemini.OPTIONS)
        with pytest.raises(SkipRecord, match="Food, Rivers and Lakes' is among"):
            parsed(content, **options)
    assert parsed(content, skip_responsible_party=("Food",)).title == "Rivers"
