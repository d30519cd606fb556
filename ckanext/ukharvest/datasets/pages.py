"""Pages: the record that a dataset was made from, and the changes that harvests made to it."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from ckan.plugins import toolkit as tk
from flask import Blueprint, Response, g, redirect

from ckanext.ukharvest.core.document_kind import size_of
from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.datasets.provenance import portal
from ckanext.ukharvest.datasets.records import content_of, load_document
from ckanext.ukharvest.lib.actions import context
from ckanext.ukharvest.lib.pages import (
    abort_not_found,
    ask_page,
    count_pages,
    load_dataset,
    prevent_caching,
)
from ckanext.ukharvest.lib.permissions import load_visible_source
from ckanext.ukharvest.lib.texts import gettext, translate
from ckanext.ukharvest.rendering import outlines, source_record
from ckanext.ukharvest.rendering.values import format_iso_date

records = Blueprint("ukharvest_records", __name__)

# Without this, scripts in the XML, SVG or XHTML of a record would run as part of this site.
_RAW_POLICY = "default-src 'none'; sandbox"

_OUTLINES = {
    source_record.XML: outlines.outline_of_xml,
    source_record.JSON: outlines.outline_of_json,
}


# Routes of ckanext-harvest.
@records.route("/harvest/object/<id>")
def object_show(id: str) -> Any:  # noqa: A002
    return _object({"id": id})


@records.route("/dataset/harvest_object/<id>")
def object_of_dataset(id: str) -> Any:  # noqa: A002
    return _object({"dataset_id": id})


def _object(data_dict: dict[str, str]) -> Any:
    shown = _shown_object(data_dict)
    return _raw(content_of(shown) or abort_not_found(), shown["id"])


def _shown_object(data_dict: dict[str, str]) -> dict[str, Any]:
    try:
        return dict(tk.get_action("harvest_object_show")({"user": tk.current_user.name}, data_dict))
    except tk.ObjectNotFound:
        return abort_not_found()
    except tk.NotAuthorized as exc:
        return tk.abort(403, str(exc))


@records.route("/dataset/<id>/source-record")
def readable(id: str) -> Any:  # noqa: A002
    package, document = _stored(id)
    form = source_record.form_of(document.content)
    g.pkg_dict = package  # CKAN's templates of datasets use it
    values = {
        "pkg_dict": package,
        "dataset_type": package["type"],
        "record": document,
        "source": load_visible_source(context(), document.source_id),
        "form": form,
        "size": size_of(document.content),
        "raw_url": tk.url_for(
            "ukharvest_records.raw", id=package["name"], extension=form.extension
        ),
        "say": tk._,
        "spell": partial(format_iso_date, portal=portal()),
        **_laid_out(document.content, form),
    }
    return _guarded(Response(tk.render("ukharvest/source_record.html", values)))


@records.route("/dataset/<id>/source-record.<extension>")
def raw(id: str, extension: str) -> Any:  # noqa: A002
    package, document = _stored(id)
    form = source_record.form_of(document.content)
    if extension != form.extension:
        return abort_not_found()
    lines, is_all = source_record.lines_of(document.content)
    is_laid_out = form is source_record.JSON and is_all
    return _raw("\n".join(lines) if is_laid_out else document.content, package["name"])


# URLs of data.gov.uk from 2012 to 2018; pages elsewhere still link to them.
@records.route("/api/2/rest/harvestobject/<id>/xml")
def old_raw(id: str) -> Any:  # noqa: A002
    package_id = _dataset_of(id)
    document = load_document(package_id)
    form = source_record.form_of(document.content if document else "")
    return _moved("raw", id=package_id, extension=form.extension)


@records.route("/api/2/rest/harvestobject/<id>/html")
@records.route("/harvest/gemini-object/<id>")
def old_readable(id: str) -> Any:  # noqa: A002
    return _moved("readable", id=_dataset_of(id))


def _dataset_of(object_id: str) -> str:
    """Return the id of the dataset of a harvest object that the user may see."""
    package_id = _shown_object({"id": object_id})["package_id"]
    return str(package_id or abort_not_found())


def _moved(view: str, **values: str) -> Any:
    return prevent_caching(redirect(tk.url_for(f"ukharvest_records.{view}", **values), 301))


def _stored(id_: str) -> tuple[dict[str, Any], Any]:
    """Return a dataset and its record, or abort as CKAN's page of the dataset does."""
    package = load_dataset(id_)
    document = load_document(package["id"])
    return package, document or abort_not_found()


def _laid_out(content: str, form: source_record.Form) -> dict[str, Any]:
    """Return the record as an outline if it can be parsed, else as lines with the error."""
    trouble = ""
    draw = _OUTLINES.get(form)
    if draw:
        try:
            return {"outline": draw(content)}
        except ParseError as exc:
            where = gettext("line {line}: ", line=exc.line) if exc.line else ""
            trouble = where + translate(exc.message)
    lines, is_all = source_record.lines_of(content)
    return {"lines": lines, "trouble": trouble, "is_all": is_all}


def _raw(content: str, name: str) -> Response:
    """Return a record's original text in UTF-8; ``name`` is the file name without extension."""
    form = source_record.form_of(content)
    text = source_record.as_utf8(content) if form is source_record.XML else content
    response = Response(text, content_type=f"{form.media_type}; charset=utf-8")
    name = re.sub(r"[^\w-]", "-", name, flags=re.ASCII)
    response.headers["Content-Disposition"] = f'inline; filename="{name}.{form.extension}"'
    response.add_etag()
    response.headers["Content-Security-Policy"] = _RAW_POLICY
    _guarded(response).make_conditional(tk.request.environ)
    return response


def _guarded(response: Response) -> Any:
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    return prevent_caching(response)


changes = Blueprint("ukharvest_changes", __name__)

PER_PAGE = 20


@changes.route("/dataset/<id>/harvest-changes", endpoint="read")
def read_changes(id: str) -> str:  # noqa: A002 - as in CKAN's routes
    package = load_dataset(id)
    if not tk.h.ukharvest_is_harvested(package):
        tk.abort(404, tk._("No changes recorded."))
    listed, number = ask_page("ukharvest_dataset_change_list", PER_PAGE, id=package["id"])
    g.pkg_dict = package  # CKAN's templates of datasets use it
    values = {
        "pkg_dict": package,
        "dataset_type": package["type"],
        "changes": listed,
        "number": number,
        "pages": count_pages(listed["count"], PER_PAGE, number),
        "page_url": lambda page: tk.url_for(
            "ukharvest_changes.read", id=package["name"], page=page
        ),
    }
    return str(tk.render("ukharvest/changes.html", values))
