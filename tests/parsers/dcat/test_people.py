"""Publishers, contacts, other bodies and terms of a DCAT dataset."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.records import Agent, Licence
from tests.parsers.dcat.turtle import codes, parse


@pytest.mark.parametrize(
    ("turtle", "expected"),
    [
        ('"P"', Agent("P")),
        ("<http://a.uk/p>", Agent(url="http://a.uk/p")),
        (
            '[ foaf:name "P" ; foaf:mbox <mailto:p@a.uk> ; foaf:homepage <http://a.uk/> ]',
            Agent("P", "p@a.uk", "http://a.uk/"),
        ),
        (
            'schema:publisher [ schema:name "P"@en, "Q"@cy ; schema:email "p@a.uk" ]',
            Agent("P", "p@a.uk"),
        ),
        ('dc:publisher [ rdfs:label "P" ]', Agent("P")),
        ('<http://a.uk/p>, "P"', Agent("P")),
        ('""', None),
    ],
)
def test_publishers(turtle: str, expected: Agent | None) -> None:
    named = turtle if turtle[0].isalpha() else f"dct:publisher {turtle}"
    assert parse(f'dct:title "T" ; {named}', bare=True).publisher == expected


@pytest.mark.parametrize(
    ("turtle", "expected"),
    [
        ('[ vcard:fn "C" ; vcard:hasEmail <mailto:c@a.uk> ]', Agent("C", "c@a.uk")),
        (
            '[ vcard:fn "C" ; vcard:hasEmail "c@a.uk" ; vcard:hasURL <http://a.uk/c> ]',
            Agent("C", "c@a.uk", "http://a.uk/c"),
        ),
        (
            'adms:contactPoint [ vcard:organization-name "C" ; vcard:email "c@a.uk" ]',
            Agent("C", "c@a.uk"),
        ),
        (
            '[ vcard:hasFN [ vcard:hasValue "C" ] ;'
            " vcard:hasEmail [ a vcard:Work ; vcard:hasValue <mailto:c@a.uk> ] ]",
            Agent("C", "c@a.uk"),
        ),
        ('[ foaf:name "C" ; foaf:mbox <mailto:c@a.uk> ]', Agent("C", "c@a.uk")),
        ('"Data team <c@a.uk>"', Agent("Data team", "c@a.uk")),
        ("<mailto:c@a.uk>", Agent(email="c@a.uk")),
        ("pmd:contactEmail <mailto:c@a.uk>", Agent(email="c@a.uk")),
        ('"Data team"', Agent("Data team")),
        (
            '[ vcard:fn "A" ], [ vcard:fn "B" ; vcard:hasEmail <mailto:b@a.uk> ]',
            Agent("B", "b@a.uk"),
        ),
    ],
)
def test_contacts(turtle: str, expected: Agent) -> None:
    named = turtle if turtle[0].isalpha() else f"dcat:contactPoint {turtle}"
    assert parse(f'dct:title "T" ; {named}', bare=True).contact == expected


def test_an_email_address_that_became_a_relative_url() -> None:
    turtle = 'dcat:contactPoint [ vcard:fn "C" ; vcard:hasEmail <http://a.uk/cat/c@a.uk> ]'
    record = parse(f'dct:title "T" ; {turtle}', bare=True)
    assert record.contact == Agent("C", "c@a.uk")
    assert "email-without-mailto vcard:hasEmail" in codes(record)


def test_a_telephone_number() -> None:
    turtle = (
        'dcat:contactPoint [ vcard:fn "C" ; vcard:hasTelephone [ vcard:hasValue <tel:+44%201> ] ]'
    )
    assert parse(turtle).extras["contact-phone"] == "+44 1"
    # Neither PostgreSQL nor a page takes a control character.
    assert parse(turtle.replace("%20", "%00%1b")).extras["contact-phone"] == "+441"


def test_an_unknown_licence_is_kept_and_reported() -> None:
    record = parse('dct:title "T" ; dct:license <http://a.uk/terms>', bare=True)
    assert record.licence == Licence(url="http://a.uk/terms")
    assert "unknown-licence dct:license" in codes(record)


def test_a_body_of_endless_bodies_is_named_up_to_a_level() -> None:
    bodies = " ".join(
        f'<http://a.uk/o{n}> foaf:name "O{n}" ; org:subOrganizationOf <http://a.uk/o{n + 1}> .'
        for n in range(30)
    )
    record = parse("dct:publisher <http://a.uk/o0>", bodies)
    assert record.extras["publisher_hierarchy"].startswith("O10 > ")
    assert record.extras["publisher_hierarchy"].endswith(" > O0")


def test_bodies_above_each_other_are_named_once() -> None:
    bodies = " ".join(
        f'<http://a.uk/{name}> foaf:name "{name}" ; org:subOrganizationOf <http://a.uk/{above}> .'
        for name, above in (("a", "b"), ("b", "c"), ("c", "b"))
    )
    record = parse("dct:publisher <http://a.uk/a>", bodies)
    assert record.extras["publisher_hierarchy"] == "c > b > a"


def test_a_contact_may_be_an_email_address_alone() -> None:
    record = parse('dcat:contactPoint "data@a.uk"')
    assert record.contact is not None
    assert (record.contact.name, record.contact.email) == ("", "data@a.uk")


def test_bodies_in_other_roles_are_kept_with_their_role() -> None:
    record = parse(
        'dcat:contactPoint [ vcard:fn "AFB" ; vcard:hasEmail <mailto:afb@example.org> ;'
        ' vcard:org [ vcard:organisation-name "Agency for biodiversity" ] ] ;'
        'geodcat:custodian [ foaf:name "Custodian body" ] ;'
        'geodcat:distributor [ foaf:name "Distributor body" ] ;'
        'prov:qualifiedAttribution [ prov:agent [ foaf:name "Owner body" ] ; dcat:hadRole'
        " <http://inspire.ec.europa.eu/metadata-codelist/ResponsiblePartyRole/owner> ]"
    )
    assert record.contact == Agent("AFB", "afb@example.org")
    assert json.loads(record.extras["responsible-organisation"]) == [
        {"name": "Agency for biodiversity", "roles": "pointOfContact"},
        {"name": "Custodian body", "roles": "custodian"},
        {"name": "Distributor body", "roles": "distributor"},
        {"name": "Owner body", "roles": "owner"},
    ]


_ROLE = "http://inspire.ec.europa.eu/metadata-codelist/ResponsiblePartyRole/"


@pytest.mark.parametrize(
    ("role", "field"),
    [
        (f"<{_ROLE}publisher>", "publisher"),
        (f"<{_ROLE}owner>", "publisher"),
        ("<http://www.isotc211.org/schemas/codelists.xml#CI_RoleCode_publisher>", "publisher"),
        (f"<{_ROLE}pointOfContact>", "contact"),
        (f"<{_ROLE}author>", "author"),
    ],
)
@pytest.mark.parametrize("predicate", ["dcat:hadRole", "prov:hadRole", "dct:type"])
def test_body_named_by_attribution_alone_is_read(predicate: str, role: str, field: str) -> None:
    attribution = (
        'prov:qualifiedAttribution [ prov:agent [ foaf:name "Body" ; foaf:mbox <mailto:a@b.uk> ] ;'
        f" {predicate} {role} ]"
    )
    record = parse(f'dct:title "T" ; {attribution}', bare=True)
    assert getattr(record, field) == Agent("Body", "a@b.uk")
    assert record.extras[f"{'creator' if field == 'author' else field}_name"] == "Body"
    is_kept = "responsible-organisation" in record.extras
    assert is_kept is (f"{_ROLE}owner" in role)  # the same body in another role than publisher
    named = {"publisher": "dct:publisher", "contact": "dcat:contactPoint", "author": "dct:creator"}
    assert f"missing-field {named[field]}" not in codes(record)
    own = parse(f'dct:title "T" ; {attribution} ; {named[field]} [ foaf:name "Own" ]', bare=True)
    assert getattr(own, field) == Agent("Own")
    assert "Body" in own.extras["responsible-organisation"]


def test_name_of_contact_may_be_one_level_below() -> None:
    record = parse('dcat:contactPoint [ vcard:org [ vcard:organisation-name "Agency" ] ]')
    assert record.contact == Agent("Agency")
    record = parse('dct:creator [ foaf:givenName "Ada" ; foaf:familyName "King" ]')
    assert record.author == Agent("Ada King")
