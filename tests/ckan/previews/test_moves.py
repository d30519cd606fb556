"""Move a source to another URL: its datasets and resources stay."""

from __future__ import annotations

import csv
import io
import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.previews import moves as move_rules
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.ckan.previews.previewing import work
from tests.publisher import Publisher
from tests.publishing.gemini import gemini
from tests.publishing.records import Item

pytestmark = pytest.mark.in_process

OLD, NEW = "/old/catalogue", "/new/data"
NUMBERS = range(1, 6)

Serve = Callable[[Publisher, str, Sequence[int]], str]


@pytest.fixture
def publisher(clean: None) -> Iterator[Publisher]:
    call_action("job_clear")
    with Publisher() as serving:
        yield serving


def _data_json(publisher: Publisher, base: str, numbers: Sequence[int]) -> str:
    """Serve datasets identified by URLs below the catalogue, with files beside it."""
    root = base.rpartition("/")[0]
    datasets = [
        {
            "identifier": publisher.url(f"{base}/set/{number}"),
            "title": f"Dataset {number}",
            "description": "The same everywhere.",
            "distribution": [
                {"title": "Table", "downloadURL": publisher.url(f"{base}/{number}.csv")},
                {"title": "Map", "downloadURL": publisher.url(f"{root}/maps/{number}.json")},
            ],
        }
        for number in numbers
    ]
    publisher.serve(f"{base}/data.json", {"dataset": datasets})
    return publisher.url(f"{base}/data.json")


def _dcat_rdf(publisher: Publisher, base: str, numbers: Sequence[int]) -> str:
    """Serve datasets with URIs, and a last one that only its title identifies."""
    text = "@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> ."
    for number in numbers:
        at = publisher.url(f"{base}/{number}")
        node = "[]" if number == numbers[-1] else f"<{at}>"
        files = ", ".join(
            f'[ a dcat:Distribution; dct:title "File"; dcat:downloadURL <{at}.{form}> ]'
            for form in ("csv", "json")
        )
        text += (
            f'\n{node} a dcat:Dataset; dct:title "Dataset {number}"; dcat:distribution {files} .'
        )
    publisher.serve(f"{base}/all.ttl", text, headers={"Content-Type": "text/turtle"})
    return publisher.url(f"{base}/all.ttl")


def _inventory(publisher: Publisher, base: str, numbers: Sequence[int]) -> str:
    datasets = "".join(
        f'<inv:Dataset Modified="2024-04-01"><inv:Identifier>id-{number}</inv:Identifier>'
        f"<inv:Title>Dataset {number}</inv:Title><inv:Description>One</inv:Description>"
        '<inv:Resources><inv:Resource Type="Data"><inv:Identifier>file</inv:Identifier>'
        "<inv:Title>File</inv:Title><inv:Renditions><inv:Rendition>"
        f"<inv:Identifier>{publisher.url(f'{base}/{number}.csv')}</inv:Identifier>"
        "</inv:Rendition></inv:Renditions></inv:Resource></inv:Resources></inv:Dataset>"
        for number in numbers
    )
    text = (
        '<inv:Inventory xmlns:inv="http://schemas.esd.org.uk/inventory" Modified="2024-05-01">'
        "<inv:Identifier>https://council.example</inv:Identifier>"
        f"<inv:Datasets>{datasets}</inv:Datasets></inv:Inventory>"
    )
    publisher.serve(f"{base}/inventory.xml", text, headers={"Content-Type": "application/xml"})
    return publisher.url(f"{base}/inventory.xml")


def _ckan(publisher: Publisher, base: str, numbers: Sequence[int]) -> str:
    packages = [
        {
            "id": f"id-{number}",
            "name": f"name-{number}",
            "title": f"Dataset {number}",
            "resources": [{"id": f"r-{number}", "url": publisher.url(f"{base}/{number}.csv")}],
        }
        for number in numbers
    ]
    result = {"count": len(packages), "results": packages}
    path = f"{base}/api/3/action/package_search?rows=100&start=0&sort=id+asc"
    publisher.serve(path, {"help": "", "success": True, "result": result})
    return publisher.url(base)


def _gemini_waf(publisher: Publisher, base: str, numbers: Sequence[int]) -> str:
    links = "".join(f'<li><a href="{number}.xml">{number}.xml</a></li>' for number in numbers)
    page = f"<html><head><title>Records</title></head><body><ul>{links}</ul></body></html>"
    publisher.serve(f"{base}/", page, headers={"Content-Type": "text/html"})
    for number in numbers:
        text = gemini(Item(number, f"Dataset {number}", "One"))
        text = text.replace("https://data.example", publisher.url(base))
        publisher.serve(f"{base}/{number}.xml", text, headers={"Content-Type": "application/xml"})
    return publisher.url(f"{base}/")


SERVED: dict[str, Serve] = {
    "data_json": _data_json,
    "dcat_rdf": _dcat_rdf,
    "inventory": _inventory,
    "ckan": _ckan,
    "gemini-waf": _gemini_waf,
}
BY_URL = ("data_json", "dcat_rdf")  # types whose records here are identified by URLs


def ids(portal: Portal) -> dict[str, tuple[str, list[str]]]:
    """Return title → dataset id and resource ids."""
    return {
        each["title"]: (each["id"], [resource["id"] for resource in each["resources"]])
        for each in portal.datasets()
    }


def dry_run(source_id: str, url: str, **more: Any) -> Any:
    begun = act("ukharvest_source_preview_create", source_id=source_id, url=url, **more)
    work()
    return act("ukharvest_source_preview_show", id=begun["id"])


@pytest.mark.parametrize("type_", SERVED)
def test_datasets_and_resources_stay(portal: Portal, publisher: Publisher, type_: str) -> None:
    serve = SERVED[type_]
    source_id = portal.source(serve(publisher, OLD, NUMBERS), type_)
    assert figures(portal.run(source_id)) == {"added": 5}
    before = ids(portal)
    url = serve(publisher, NEW, NUMBERS)
    found = dry_run(source_id, url)
    move = found["result"]["move"]
    numbers = {key: move[key] for key in ("datasets", "same", "moved", "added", "missing")}
    by_url = type_ in BY_URL
    assert numbers == {
        "datasets": 5,
        "same": 0 if by_url else 5,
        "moved": 5 if by_url else 0,
        "added": 0,
        "missing": 0,
    }, found
    assert (move["few_match"], move["refusal"]) == (False, "")
    done = act("ukharvest_source_move", source_id=source_id, dry_run_id=found["id"])
    assert (done["url"], done["moved"]) == (url, move["moved"])
    [decision] = call_action("ukharvest_decision_list", source=source_id)["results"]
    assert decision["options"]["to"] == url
    assert ids(portal) == before
    guids = {row.guid for row in model.Session.query(Record)}
    assert guids == {extras(each)["guid"] for each in portal.datasets()}
    assert guids == {row.guid for row in model.Session.query(HarvestObject)}
    if by_url:
        assert all(guid.startswith(publisher.url(NEW)) for guid in guids)
    publisher.recover()
    assert figures(portal.run(source_id)) == {"updated": 5}
    assert ids(portal) == before
    addresses = {each["url"] for dataset in portal.datasets() for each in dataset["resources"]}
    assert all(publisher.url("/new/") in address for address in addresses)
    assert figures(portal.run(source_id)) == {"not modified": 5}
    assert HarvestSource.get(source_id).url == url


def test_resources_stay_if_only_their_server_changes(portal: Portal, publisher: Publisher) -> None:
    """The files move with another base URL than the source, and a person renamed one."""
    url = _data_json(publisher, OLD, NUMBERS)
    source_id = portal.source(url)
    portal.run(source_id)
    before = ids(portal)
    resource = portal.datasets()[0]["resources"][0]
    act("resource_patch", id=resource["id"], name="Mine", url="https://mine.example/1.csv")
    found = dry_run(source_id, _data_json(publisher, "/x/elsewhere", NUMBERS))
    act("ukharvest_source_move", source_id=source_id, dry_run_id=found["id"])
    portal.run(source_id)
    assert ids(portal) == before


@pytest.fixture
def moved(portal: Portal, publisher: Publisher) -> tuple[str, str]:
    """A source with five datasets, and a new URL with two of them and a new one."""
    source_id = portal.source(_data_json(publisher, OLD, NUMBERS), name="parking")
    portal.run(source_id)
    return source_id, _data_json(publisher, NEW, (1, 2, 6))


def stored() -> list[tuple[str, ...]]:
    rows = model.Session.query(Record.guid, Record.url, Record.fingerprint)
    sources = model.Session.query(HarvestSource.url, HarvestSource.type)
    found = sorted(map(tuple, [*rows, *sources]))
    model.Session.remove()
    return found


def test_move_with_few_matches_needs_a_confirmation(portal: Portal, moved: tuple[str, str]) -> None:
    source_id, url = moved
    before, datasets = stored(), ids(portal)
    found = dry_run(source_id, url)
    move = found["result"]["move"]
    assert (move["moved"], move["missing"], move["added"]) == (2, 3, 1)
    assert [each["title"] for each in move["missing_datasets"]] == [
        f"Dataset {number}" for number in (3, 4, 5)
    ]
    assert move["few_match"]
    assert "2 of the 5 datasets of this source are at the new URL." in found["text"]
    asked = {"source_id": source_id, "dry_run_id": found["id"]}
    with pytest.raises(tk.ValidationError, match="Fewer than half"):
        act("ukharvest_source_move", **asked)
    assert stored() == before
    act("ukharvest_source_move", **asked, even_if_few_match=True)
    assert figures(portal.run(source_id)) == {"added": 1, "updated": 2, "missing": 3}
    assert ids(portal).items() > datasets.items()
    with pytest.raises(tk.ObjectNotFound):
        act("ukharvest_source_move", **asked, even_if_few_match=True)


def test_kept_datasets_stay_kept_when_their_source_moves(
    portal: Portal, publisher: Publisher, moved: tuple[str, str]
) -> None:
    source_id, url = moved
    _data_json(publisher, OLD, (1,))
    for _run in range(2):
        portal.run(source_id)
    act("ukharvest_pending_decide", source_id=source_id, decision="keep")
    assert act("ukharvest_pending_list", source_id=source_id)["kept"] == 4
    found = dry_run(source_id, url)
    act(
        "ukharvest_source_move", source_id=source_id, dry_run_id=found["id"], even_if_few_match=True
    )
    assert act("ukharvest_pending_list", source_id=source_id)["kept"] == 4
    portal.run(source_id)
    assert act("ukharvest_pending_list", source_id=source_id)["kept"] == 3  # 2 is there again


def test_move_is_refused_with_a_reason(
    portal: Portal, publisher: Publisher, moved: tuple[str, str]
) -> None:
    source_id, url = moved
    portal.source(publisher.url("/taken.json"))
    for address, message in (
        ("", "url"),
        (publisher.url(f"{OLD}/data.json"), "has this URL already"),
        (publisher.url("/taken.json"), "already has this URL"),
        ("file:///etc/passwd", "http"),
        ("http://169.254.169.254/", "169.254.169.254"),
    ):
        with pytest.raises(tk.ValidationError, match=message):
            act("ukharvest_source_preview_create", source_id=source_id, url=address)
    before = stored()
    nothing = dry_run(source_id, publisher.url("/nothing.json"))
    refusal = nothing["result"]["move"]["refusal"]
    assert refusal == "The test has not read the records at the new URL. Test it again."
    found = dry_run(source_id, url)
    asked = {"source_id": source_id, "dry_run_id": found["id"], "even_if_few_match": True}
    with pytest.raises(tk.ValidationError, match="has not read the records"):
        act("ukharvest_source_move", **{**asked, "dry_run_id": nothing["id"]})
    job_id = portal.create_job(source_id)
    with pytest.raises(tk.ValidationError, match="has not ended"):
        act("ukharvest_source_move", **asked)
    portal.gather(job_id)
    portal.finish(job_id)
    old = {"url": publisher.url(f"{OLD}/data.json"), "config": ""}
    for key, value in (
        ("url", publisher.url("/third.json")),
        ("config", '{"default_tags": ["parking"]}'),
    ):
        act("harvest_source_patch", id=source_id, **{**old, key: value})
        with pytest.raises(tk.ValidationError, match="has changed since"):
            act("ukharvest_source_move", **asked)
    act("harvest_source_patch", id=source_id, **old)
    assert [row[0] for row in stored()] == [row[0] for row in before]


def test_another_type_there(portal: Portal, publisher: Publisher) -> None:
    """Options that the new type does not have are dropped, the others stay."""
    known = {"default_tags": ["parking"]}
    config = {**known, "remote_groups": "only_local"}
    source_id = portal.source(_ckan(publisher, OLD, NUMBERS), "ckan", config=config)
    portal.run(source_id)
    before = ids(portal)
    datasets = [
        {
            "identifier": f"id-{number}",
            "title": f"Dataset {number}",
            "description": "One",
            "distribution": [{"downloadURL": publisher.url(f"{NEW}/{number}.csv")}],
        }
        for number in NUMBERS
    ]
    publisher.serve(f"{NEW}/data.json", {"dataset": datasets})
    url = publisher.url(f"{NEW}/data.json")
    found = dry_run(source_id, url, source_type="data_json")
    assert found["result"]["move"]["same"] == 5
    assert found["result"]["move"]["dropped"] == ["remote_groups"]
    act("ukharvest_source_move", source_id=source_id, dry_run_id=found["id"])
    source = HarvestSource.get(source_id)
    assert (source.url, source.type, json.loads(source.config)) == (url, "data_json", known)
    assert figures(portal.run(source_id)) == {"updated": 5}
    assert {title: id_ for title, (id_, _files) in ids(portal).items()} == {
        title: id_ for title, (id_, _files) in before.items()
    }


def test_the_command(
    portal: Portal, publisher: Publisher, moved: tuple[str, str], cli: Any
) -> None:
    source_id, few = moved
    before = stored()
    command = ["source", "move", "parking"]
    tried = cli.invoke(ukharvest, [*command, few, "--dry-run"])
    assert tried.exit_code == 1, tried.output
    assert "2 of the 5 datasets of this source are at the new URL." in tried.output
    assert "dataset-3" in tried.output
    assert "nothing was changed" in tried.output
    assert cli.invoke(ukharvest, [*command, few]).exit_code == 1
    assert cli.invoke(ukharvest, ["source", "move", "nowhere", few]).exit_code == 2
    lost = cli.invoke(ukharvest, [*command, publisher.url("/nothing.json")])
    assert lost.exit_code == 2, lost.output
    assert stored() == before
    url = _data_json(publisher, "/whole/data", NUMBERS)
    done = cli.invoke(ukharvest, [*command, url])
    assert done.exit_code == 0, done.output
    assert "The new URL is saved. Start a run to harvest it." in done.output
    model.Session.remove()
    assert HarvestSource.get(source_id).url == url


def test_the_page_lists_some_of_the_missing_and_the_csv_all(
    app: CKANTestApp, moved: tuple[str, str], editor: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(move_rules, "LISTED", 2)
    found = dry_run(*moved)
    here = f"/harvest/test/{found['id']}"
    headers = {"Authorization": editor["token"]}
    page = app.get(here, headers=headers).body
    assert "and 1 more" in page
    assert f'href="{here}/missing.csv"' in page
    listed = app.get(f"{here}/missing.csv", headers=headers)
    assert listed.headers["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(listed.body)))
    assert [row["title"] for row in rows] == [f"Dataset {number}" for number in (3, 4, 5)]
    assert rows[0]["identifier"].endswith(f"{OLD}/set/3")
    assert rows[0]["dataset_address"].endswith("/dataset/dataset-3")
    unknown = f"/harvest/test/{uuid.uuid4()}/missing.csv"
    assert app.get(unknown, headers=headers).status_code == 404


def sent(source_id: str, url: str, **more: Any) -> dict[str, Any]:
    """Return the settings' form with a URL."""
    fields = {"id": source_id, "title": "Parking", "url": url, "save": "only"}
    return {**fields, "options_of": ["data_json", "common"], **more}


def page_of(answer: Any) -> str:
    """Return the path that an answer redirects to."""
    assert answer.status_code == 302, answer.body
    return str(urlsplit(answer.headers["Location"]).path)


EDIT = "/harvest/edit/parking"


def test_new_url_in_the_form_is_saved_after_its_dry_run(
    portal: Portal, publisher: Publisher, app: CKANTestApp, editor: dict[str, str]
) -> None:
    """Without scripts: form, dry run, confirmation; texts of the source are escaped."""
    old = _data_json(publisher, OLD, NUMBERS)
    source_id = portal.source(old, name="parking")
    portal.run(source_id)
    name = portal.datasets()[2]["name"]
    act("package_patch", id=name, title="<script>alert(3)</script>")
    url = _data_json(publisher, NEW, (1, 2, 6))
    headers = {"Authorization": editor["token"]}

    def get(address: str) -> str:
        return str(app.get(address, headers=headers).body)

    def post(address: str, **data: Any) -> Any:
        return app.post(address, headers=headers, data=data, follow_redirects=False)

    assert "/harvest/parking/move" not in get("/harvest/parking")
    refused = post(EDIT, **sent(source_id, "<b>x"))
    assert "There is a problem" in refused.body
    assert "<b>x" not in refused.body
    tags = {"option_common_default_tags": "parking"}
    here = page_of(post(EDIT, **sent(source_id, url, notes="Ask us", **tags)))
    assert "Test in progress" in get(here)
    assert f'href="{here}"' in get(EDIT)
    assert act("harvest_source_show", id=source_id)["notes"] == "Ask us"
    source = HarvestSource.get(source_id)
    assert (source.url, source.config or "") == (old, "")
    work()
    shown = get(here)
    assert "2 of the 5 datasets of this source are at the new URL." in shown
    assert "changes the URL of the source and the identifiers" in shown
    assert "&lt;script&gt;alert(3)" in shown
    assert "<script>alert(3)" not in shown
    assert "even-if-few-match" in shown
    assert ">In a run<" not in shown
    assert page_of(post(f"{here}/move")) == here
    assert HarvestSource.get(source_id).url == old
    # The redirect is followed, because the message is on the next page.
    done = app.post(f"{here}/move", headers=headers, data={"even_if_few_match": "true"})
    assert "The new URL is saved. Start a run to harvest it." in done.body
    model.Session.remove()
    source = HarvestSource.get(source_id)
    assert (source.url, json.loads(source.config)) == (url, {"default_tags": ["parking"]})
    assert app.get(here, headers=headers, status=None).status_code == 404
    assert here not in get(EDIT)


def test_url_without_datasets_to_lose_is_saved_at_once(
    portal: Portal, publisher: Publisher, app: CKANTestApp, editor: dict[str, str]
) -> None:
    """Of a source that has no datasets yet, and of a URL that differs in its last slash alone."""
    source_id = portal.source(publisher.url("/wrong.json"), name="parking")
    headers = {"Authorization": editor["token"]}
    url = _data_json(publisher, OLD, NUMBERS)
    for address in (url, f"{url}/"):
        form = sent(source_id, address)
        answer = app.post(EDIT, headers=headers, data=form, follow_redirects=False)
        assert page_of(answer) == "/harvest/parking"
        model.Session.remove()
        assert HarvestSource.get(source_id).url == address
        if address == url:
            portal.run(source_id)
    assert model.Session.query(SourcePreview).count() == 0


def test_new_url_is_saved_without_a_dry_run_if_a_person_says_so(
    app: CKANTestApp, publisher: Publisher, moved: tuple[str, str], editor: dict[str, str]
) -> None:
    """One that cannot start is refused in the form, one without a worker waits on its page."""
    source_id, url = moved
    headers = {"Authorization": editor["token"]}

    def post(address: str, data: dict[str, Any]) -> Any:
        return app.post(address, headers=headers, data=data, follow_redirects=False)

    before = stored()
    here = page_of(post(EDIT, sent(source_id, url)))
    waiting = app.get(here, headers=headers).body
    assert "No background worker answers." in waiting
    assert "Save the new URL without a test" in waiting
    third = publisher.url("/third.json")
    refused = post(EDIT, sent(source_id, third, title="Another"))
    assert "Another test of yours of a saved source is in progress." in refused.body
    assert 'name="not_compared"' in refused.body
    assert stored() == before
    assert act("harvest_source_show", id=source_id)["title"] != "Another"
    assert page_of(post(f"{here}/move", {"not_compared": "true"})) == f"/harvest/{source_id}"
    model.Session.remove()
    assert HarvestSource.get(source_id).url == url
    form = sent(source_id, third, not_compared="true")
    assert page_of(post(EDIT, form)) == "/harvest/parking"
    after = stored()
    assert HarvestSource.get(source_id).url == third
    assert [row for row in after if len(row) == 3] == [row for row in before if len(row) == 3]


def test_dry_run_of_a_new_url_offers_the_type_that_is_there(
    portal: Portal, publisher: Publisher, app: CKANTestApp, editor: dict[str, str]
) -> None:
    source_id = portal.source(_data_json(publisher, OLD, NUMBERS), name="parking")
    portal.run(source_id)
    url = _dcat_rdf(publisher, NEW, NUMBERS)
    headers = {"Authorization": editor["token"]}
    form = sent(source_id, url)
    here = page_of(app.post(EDIT, headers=headers, data=form, follow_redirects=False))
    work()
    page = app.get(here, headers=headers).body
    assert "Save the new URL" in page
    assert "without a test" not in page
    assert 'name="source_type" value="dcat_rdf"' in page
    other = {"source_type": "dcat_rdf"}
    again = app.post(f"{here}/move", headers=headers, data=other, follow_redirects=False)
    assert page_of(again) != here
    work()
    page = app.get(page_of(again), headers=headers).body
    assert "0 of the 5 datasets of this source are at the new URL." in page
    even = {"even_if_few_match": "true"}
    app.post(f"{page_of(again)}/move", headers=headers, data=even, follow_redirects=False)
    model.Session.remove()
    source = HarvestSource.get(source_id)
    assert (source.url, source.type) == (url, "dcat_rdf")
