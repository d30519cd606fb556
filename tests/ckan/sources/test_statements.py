"""Pages of sources send few statements to the database, as an editor sees them."""

from __future__ import annotations

import pytest
from ckan import model
from ckan.tests.helpers import CKANTestApp

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, statements
from tests.ckan.people import member
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


def test_pages_of_a_source_send_few_statements(
    app: CKANTestApp, portal: Portal, publisher: Publisher, organization: dict[str, str]
) -> None:
    headers = dict(member(organization)["headers"])
    faulty = [dataset(1, title=""), dataset(2, modified="soon"), dataset(3)]
    publisher.serve(PATH, catalogue(faulty))
    source = portal.source(publisher.url(PATH), name="parking")
    portal.run(source)
    job_id = portal.run(source)["id"]
    publisher.serve("/other.json", catalogue(2))
    portal.run(portal.source(publisher.url("/other.json"), name="other"))
    frame = len(cost(app, "/about", headers))  # of CKAN's own pages
    most = {
        "/harvest/parking": 12,
        "/harvest/other": 12,
        f"/harvest/parking/job/{job_id}": 8,
        "/harvest/parking/problems": 8,
        "/harvest/": 9,
    }
    sent = {page: cost(app, page, headers) for page in most}
    print("\n\n".join(f"{page} {len(of)}\n" + "\n".join(of) for page, of in sent.items()))
    ours = {page: len(of) - frame for page, of in sent.items()}
    assert {page: number for page, number in ours.items() if number > most[page]} == {}


def cost(app: CKANTestApp, page: str, headers: dict[str, str]) -> list[str]:
    """Return the statements of a page that was opened before."""
    app.get(page, headers=headers)
    model.Session.remove()
    with statements() as sent:
        app.get(page, headers=headers, status=200)
    return [" ".join(each.split())[:400] for each in sent]
