"""Visits of a prepared portal: its steps, its pages and actions as each role."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest import features
from tests.ckan.access_rows import TABLE
from tests.ckan.access_rows import filled as filled_in
from tests.ckan.conftest import empty_portal
from tests.ckan.harvesting import Portal, act, statements
from tests.ckan.routes import FORM, SENT
from tests.recorder import listeners, portals
from tests.recorder.masks import Masks
from tests.recorder.stored import Store, changes

Line = dict[str, Any]
ROLES = ("anonymous", "editor", "admin", "sysadmin")
PORTALS = {"states": portals.states, "demo": portals.demo, "small": portals.small}
BY_DEFAULT = ("states", "demo")
# Sources all of whose pages are visited, by each role; of the others the pages in BRIEF are, as
# anonymous and as editor.
WHOLE = {"demo": {"data-json"}, "states": {"faulty", "held"}, "small": {"faulty"}}
BRIEF = (
    "/dataset/<id>", "/harvest/<name>", "/harvest/<name>/state", "/harvest/<name>/job/last",
    "/harvest/<name>/problems", "/harvest/<name>/deletions", "/harvest/<name>/identifiers",
    "/harvest/edit/<id>", "/harvest/<source>/job",
)  # fmt: skip
# Pages of CKAN and ckanext-harvest that we change.
OF_CKAN = (
    "/", "/dataset/", "/dataset/new", "/dataset/<id>", "/dataset/edit/<id>",
    "/dataset/<id>/resource/<resource_id>", "/dataset/<id>/resource/<resource_id>/edit",
    "/dataset/groups/<id>", "/organization/", "/organization/<id>", "/organization/edit/<id>",
    "/group/", "/dashboard/", "/user/<id>", "/ckan-admin/", "/ckan-admin/trash", "/about",
)  # fmt: skip
# Beginning of a route → what <id> is.
KINDS = (
    ("/dataset/harvest_object/", "object"),
    ("/dataset/", "dataset"),
    ("/api/2/rest/harvestobject/", "object"),
    ("/harvest/gemini-object/", "object"),
    ("/harvest/object/", "object"),
    ("/harvest/<name>/job/", "run"),
    ("/harvest/<source>/job/", "run"),
    ("/harvest/<name>/record/", "record"),
    ("/harvest/test/<uuid:id>/add", "preview"),
    ("/harvest/test/<uuid:id>/m", "move"),
    ("/harvest/test/", "dry run"),
    ("/harvest/", "source"),
    ("/organization/", "organization"),
    ("/user/", "user"),
)
QUERIES = {"/dataset/": ("", "?q=weirs", "?harvest_source_id=x"), "/harvest/": ("", "?q=a")}


class Visitor:
    """Visits a portal; yields lines."""

    def __init__(
        self, app: Any, name: str, only: str, store: Store, mailbox: listeners.Mailbox
    ) -> None:
        self.app = CKANTestApp(app)
        self.name = name
        self.is_all = name != "demo"  # forms, commands and actions that change something too
        self.only = re.compile(only)
        self.masks = Masks()
        self.store = store
        self.mailbox = mailbox
        self.headers: dict[str, dict[str, str]] = {"anonymous": {}}

    def line(self, who: str, what: str, **fields: Any) -> Line:
        return {"portal": self.name, "who": who, "what": self.masks.text(what), **fields}

    def make(self) -> Iterator[Line]:
        """Make the portal; yield the rows that each step changes."""
        # A user's row is written by how long ago that was; it decides the order of lists.
        tk.config["ckan.user.last_active_interval"] = 1 << 30
        factories.fake.seed_instance(1)  # names of users
        factories.fake.unique.clear()
        empty_portal()
        self.store.begin_anew()
        organization = model.Group.get("somewhere-council").id
        for role in ROLES[1:]:
            user = factories.UserWithToken(
                name=role, fullname=role.title(), email=f"{role}@portal.example", image_url="",
                sysadmin=role == "sysadmin",
            )  # fmt: skip
            self.headers[role] = {"Authorization": user["token"]}
            if role != "sysadmin":
                act("organization_member_create", id=organization, username=role, role=role)
        with PORTALS[self.name](Portal(organization)) as steps:
            before = self.store.read()
            for title, step in steps:
                with self.app.flask_app.test_request_context():  # mails are rendered
                    step()
                after = self.store.read()
                self.masks.learn()
                for table, rows in changes(before, after, self.masks).items():
                    yield self.line("step", f"{title}: {table}", rows=rows)
                yield from self.heard(title)
                before = after
            yield from self.visit()

    def visit(self) -> Iterator[Line]:
        """Yield the index, the pages and the answers of the actions."""
        self.facts = facts()
        self.facts["place"].update(self.ask() if self.is_all else {})
        documents = sorted(self.store.documents.values(), key=lambda each: str(each.get("name")))
        for document in documents:
            yield self.line("index", str(document.get("name")), document=self.masks.value(document))
        self.state = self.store.read()
        self.store.restore(self.state)
        for url, roles in self.urls():
            yield from self.pages(url, roles)
        yield from self.after("all", "all pages")
        for route in SENT:
            is_asked = self.is_all and self.only.search(f"POST {route}")
            for url, roles in self.filled(route)[:1] if is_asked else ():
                for role in roles:
                    yield from self.sent(url, role)
        for words in listeners.commands() if self.is_all else ():
            if self.only.search(f"command {' '.join(words)}"):
                self.store.restore_keys(self.state)
                output = listeners.output(words)
                output["output"] = self.output(output["output"])
                yield self.line("command", " ".join(words), output=output)
        yield from self.after("command", "all commands")
        for row in TABLE:
            is_asked = self.is_all or self.is_reading(row.action)
            for role in ROLES if is_asked and self.only.search(f"action {row.action}") else ():
                yield from self.call(row, role)

    def ask(self) -> dict[str, Any]:
        """Start a test, a dry run, a check and a move; return their ids."""
        place = self.facts["place"]
        tested = {"source_type": "data_json", "url": place["url"]}
        asked = {
            "preview": ("ukharvest_source_preview_create", tested),
            "dry run": ("ukharvest_source_preview_create", {"source_id": "faulty"}),
            "check": (
                "ukharvest_source_preview_create",
                {"text": '{"dataset": [{"title": "Weirs"}]}'},
            ),
            "move": (
                "ukharvest_source_preview_create",
                {"source_id": "faulty", "url": place["moved url"]},
            ),
        }
        ids = {}
        for name, (action, given) in asked.items():
            with contextlib.suppress(KeyError, tk.ValidationError):  # of an action that is gone
                ids[name] = act(action, **given)["id"]
                portals.work_off_jobs()
        return ids

    def pages(self, url: str, roles: Sequence[str]) -> Iterator[Line]:
        """Yield a line for each role: the page, or the role with the same page."""
        known: dict[str, str] = {}
        for role in roles:
            answer = self.request(role, "get", url)
            text = json.dumps(answer)
            if text in known:
                yield self.line(role, f"GET {url}", same=known[text])
            else:
                known[text] = role
                yield self.line(role, f"GET {url}", answer=answer)
            if role == "editor" and answer.get("status") == 200:
                with statements() as sent:
                    self.request(role, "get", url, is_warm=True)
                yield self.line(role, f"GET {url} (statements)", statements=len(sent))

    def sent(self, url: str, role: str) -> Iterator[Line]:
        form = {**FORM, **({"name": url.split("/")[3]} if "/edit/" in url else {})}
        answer = self.request(role, "post", url, data=form)
        yield self.line(role, f"POST {url}", answer=answer)
        if answer.get("status", 500) < 400:
            yield from self.after(role, f"POST {url}")

    def call(self, row: Any, role: str) -> Iterator[Line]:
        """Yield the answer of an action, and the rows that it changes."""
        try:
            given = filled_in(row.given, self.facts["place"])
        except KeyError:
            return
        url = f"/api/3/action/{row.action}"
        what = f"action {row.action} {json.dumps(row.given, sort_keys=True)}"
        answer = self.request(role, "post", url, json=given)
        yield self.line(role, what, answer=answer)
        if not self.is_reading(row.action) and answer.get("status", 500) < 400:
            yield from self.after(role, what)
        elif role == "editor" and answer.get("status") == 200:
            with statements() as sent:
                self.request(role, "post", url, is_warm=True, json=given)
            yield self.line(role, f"{what} (statements)", statements=len(sent))

    def output(self, text: str) -> Any:
        """Return a text with masks: JSON as a value, else its lines."""
        try:
            return self.masks.value(json.loads(text))
        except ValueError:
            return self.masks.text(text).splitlines()

    def is_reading(self, action: str) -> bool:
        return bool(getattr(tk.get_action(action), "side_effect_free", False))

    def request(
        self, role: str, method: str, url: str, *, is_warm: bool = False, **more: Any
    ) -> Line:
        """Return status, place and content of an answer; without what earlier ones cached."""
        if not is_warm:
            self.store.restore_keys(self.state)
        model.Session.remove()
        try:
            answer = getattr(self.app, method)(
                url, headers=self.headers[role], follow_redirects=False, **more
            )
        except Exception as exc:  # noqa: BLE001 - part of what is recorded
            model.Session.remove()
            return {"raised": self.masks.text(f"{type(exc).__name__}: {exc}")[:2000]}
        media = answer.headers.get("Content-Type", "")
        line: Line = {"status": answer.status_code, "type": media}
        if place := answer.headers.get("Location"):
            line["place"] = self.masks.text(place)
            return line
        if "html" in media:
            line["page"] = self.masks.html(answer.body)
        else:
            line["content"] = self.output(answer.body)
        return line

    def after(self, who: str, what: str) -> Iterator[Line]:
        """Yield the rows that something changed, and restore the portal."""
        after = self.store.read()
        self.masks.learn()
        found = changes(self.state, after, self.masks)
        for table, rows in found.items():
            yield self.line(who, f"{what}: {table}", rows=rows)
        yield from self.heard(f"{who}: {what}")
        if found or after.keys != self.state.keys or after.documents != self.state.documents:
            self.store.restore(self.state)

    def heard(self, what: str) -> Iterator[Line]:
        """Yield the mails and the calls of plugins since the last time."""
        if mails := self.mailbox.take():
            yield self.line("mails", what, mails=self.masks.value(mails))
        if calls := listeners.Calls.take():
            yield self.line("calls", what, calls=[self.masks.text(each) for each in calls])

    def urls(self) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield the URLs of all pages, with the roles that visit them."""
        ours = {each.name for each in features.blueprints()}
        rules = sorted(self.app.flask_app.url_map.iter_rules(), key=lambda rule: rule.rule)
        for route in dict.fromkeys(
            rule.rule
            for rule in rules
            if "GET" in (rule.methods or ())
            and self.only.search(f"GET {rule.rule}")
            and (
                rule.endpoint.partition(".")[0] in ours
                or rule.rule.startswith(("/harvest", "/dataset/harvest"))
                or rule.rule in OF_CKAN
            )
        ):
            for url, roles in self.filled(route):
                for query in QUERIES.get(route, ("",)):
                    yield url + query, roles

    def filled(self, route: str) -> list[tuple[str, Sequence[str]]]:
        """Return a route's URLs, with the roles that visit them."""
        route = re.sub(r"<\w+:(\w+)>", r"<\1>", route)
        names = re.findall(r"<(\w+)>", route)
        plain = {"extension": ["json", "xml"], "token": ["x.y"], "package_type": ["harvest"]}
        kind = next((kind for start, kind in KINDS if route.startswith(start)), "")
        if not {"id", "name", "source", "resource_id"} & set(names):
            choices = [plain.get(name, [""]) for name in names]
            return [(_put(route, names, each), ROLES) for each in itertools.product(*choices)]
        found: dict[str, Sequence[str]] = {}
        for source in self.facts["sources"]:
            is_whole = source["name"] in WHOLE[self.name]
            if not is_whole and route not in BRIEF:
                continue
            of_id = source.get(kind, self.facts["place"].get(kind))
            ids = of_id if isinstance(of_id, list) else [of_id]
            own = {"name": [source["name"]], "source": [source["name"]], "id": ids, **plain}
            own["resource_id"] = source["resource"]
            for values in itertools.product(*(own.get(name, [""]) for name in names)):
                if all(values):
                    found.setdefault(_put(route, names, values), ROLES if is_whole else ROLES[:2])
        return list(found.items())


def _put(route: str, names: list[str], values: Any) -> str:
    for name, value in zip(names, values, strict=True):
        route = route.replace(f"<{name}>", str(value))
    return route


def facts() -> dict[str, Any]:
    """Return the sources with the ids of what belongs to them, and ids for the actions."""
    with model.meta.engine.connect() as connection:

        def ids(query: str, source: str) -> list[Any]:
            rows = connection.execute(sa.text(query), {"source": source})
            return [row[0] for row in rows]

        rows = connection.execute(
            sa.text("SELECT id, name FROM package WHERE type = 'harvest' ORDER BY name")
        ).all()
        sources = [
            {
                "source": [name],
                "name": name,
                "id": id_,
                "run": ids(
                    "SELECT id FROM harvest_job WHERE source_id = :source ORDER BY created", id_
                )[-3:],
                "record": ids(
                    "SELECT id FROM ukharvest_record WHERE source_id = :source ORDER BY guid", id_
                )[:7],
                "object": ids(
                    "SELECT id FROM harvest_object WHERE harvest_source_id = :source"
                    " ORDER BY guid, gathered",
                    id_,
                )[:2],
                "dataset": ids(
                    "SELECT p.name FROM package p JOIN ukharvest_record r ON r.package_id = p.id"
                    " WHERE r.source_id = :source ORDER BY r.guid",
                    id_,
                )[:2],
                "resource": ids(
                    "SELECT s.id FROM package p JOIN ukharvest_record r ON r.package_id = p.id"
                    " JOIN resource s ON s.package_id = p.id AND s.position = 0"
                    " WHERE r.source_id = :source ORDER BY r.guid",
                    id_,
                )[:1],
            }
            for id_, name in rows
        ]
        guids = ids("SELECT guid FROM ukharvest_record ORDER BY id", "")
    by_name = {each["name"]: each for each in sources}
    main = by_name.get("faulty") or by_name["data-json"]
    place: dict[str, Any] = {
        "organization": model.Group.get("somewhere-council").id,
        "user": "editor",
        "source": main["id"],
        "run": main["run"][0],
        "last run": main["run"][-1],
        "dataset": main["dataset"][0],
        "resource": main["resource"][0],
        "object": main["object"][-1],
        "failed object": main["object"][0],
        "record": main["record"][0],
        "guid": guids[0],
        "url": "http://127.0.0.1:24801/faulty.json",
        "moved url": "http://127.0.0.1:24801/moved.json",
    }
    if hidden := by_name.get("hidden"):
        place["private source"] = hidden["id"]
        for kind in ("object", "dataset", "resource"):
            place[f"private {kind}"] = hidden[kind][0]
    return {"sources": sources, "place": place}


def record(app: Any, portal: str, only: str) -> Iterator[Line]:
    """Yield the lines of all portals, or of one, and of pages and actions that match."""
    store, mailbox = Store(), listeners.listen()
    for name in [portal] if portal else BY_DEFAULT:
        yield from Visitor(app, name, only, store, mailbox).make()
