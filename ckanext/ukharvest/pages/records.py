"""Pages: the record that a dataset was made of, as it was harvested and for people to read.

All of it is a stranger's: no browser may run or load anything because of it.
"""

from __future__ import annotations

import re
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from flask import Blueprint, Response, redirect

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.logic.provenance import may_see_source
from ckanext.ukharvest.model import documents
from ckanext.ukharvest.pages.common import asked_anew, context, dataset
from ckanext.ukharvest.source_record import form as record_form
from ckanext.ukharvest.source_record.outline import outline

records = Blueprint("ukharvest_records", __name__)

# The XML, SVG or XHTML of a record would otherwise run as this site, or fetch what it names.
_RAW_POLICY = "default-src 'none'; sandbox"
_PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


@records.route("/harvest/object/<id>")
def object_show(id: str) -> Any:  # noqa: A002 - the name in ckanext-harvest's routes
    return _object({"id": id})


@records.route("/dataset/harvest_object/<id>")
def object_of_dataset(id: str) -> Any:  # noqa: A002
    return _object({"dataset_id": id})


def _object(data_dict: dict[str, str]) -> Any:
    shown = _shown_object(data_dict)
    content = shown["content"] or shown["extras"].get(documents.ORIGINAL)
    if not content:
        return tk.abort(404, tk._("No content found"))
    return _raw(content, shown["id"])


def _shown_object(data_dict: dict[str, str]) -> dict[str, Any]:
    try:
        return dict(tk.get_action("harvest_object_show")({"user": tk.current_user.name}, data_dict))
    except tk.ObjectNotFound:
        return tk.abort(404, tk._("Harvest object not found"))
    except tk.NotAuthorized:
        return tk.abort(403, tk._("Not authorised to see this page"))


@records.route("/dataset/<id>/source-record")
def readable(id: str) -> Any:  # noqa: A002
    package, document = _stored(id)
    form = record_form.form_of(document.content)
    values = {
        "pkg": package,
        "title": package.get("title") or package["name"],
        "record": document,
        "source": _source(document.source_id),
        "form": form,
        "size": record_form.size_in_words(record_form.size_of(document.content)),
        "raw_url": tk.url_for(
            "ukharvest_records.raw", id=package["name"], extension=form.extension
        ),
        "say": tk._,
        **_laid_out(document.content, form),
    }
    return _guarded(Response(tk.render("ukharvest/source_record.html", values)), _PAGE_POLICY)


@records.route("/dataset/<id>/source-record.<extension>")
def raw(id: str, extension: str) -> Any:  # noqa: A002
    package, document = _stored(id)
    if extension != record_form.form_of(document.content).extension:
        return tk.abort(404, tk._("The source record has another form"))
    return _raw(document.content, package["name"])


# What data.gov.uk had from 2012 to 2018; pages elsewhere still link there.
@records.route("/api/2/rest/harvestobject/<id>/xml")
def old_raw(id: str) -> Any:  # noqa: A002
    package_id = _dataset_of(id)
    document = documents.of_dataset(package_id)
    form = record_form.form_of(document.content if document else "")
    return _moved("raw", id=package_id, extension=form.extension)


@records.route("/api/2/rest/harvestobject/<id>/html")
@records.route("/harvest/gemini-object/<id>")
def old_readable(id: str) -> Any:  # noqa: A002
    return _moved("readable", id=_dataset_of(id))


def _dataset_of(object_id: str) -> str:
    """Return the id of the dataset of a harvest object that the user may see."""
    package_id = _shown_object({"id": object_id})["package_id"]
    return str(package_id or tk.abort(404, tk._("Harvest object not found")))


def _moved(view: str, **values: str) -> Any:
    return asked_anew(redirect(tk.url_for(f"ukharvest_records.{view}", **values), 301))


def _stored(id_: str) -> tuple[dict[str, Any], documents.Document]:
    """Return a dataset and its record, or leave as CKAN's page of the dataset does."""
    package = dataset(id_)
    document = documents.of_dataset(package["id"])
    return package, document or tk.abort(404, tk._("No source record is stored of this dataset"))


def _source(source_id: str) -> model.Package | None:
    """Return the source if its page may be seen, else None."""
    found = model.Package.get(source_id)
    if found is None:
        return None
    may = may_see_source(context(), source_id, is_private=found.private, state=found.state)
    return found if may else None


def _laid_out(content: str, form: record_form.Form) -> dict[str, Any]:
    """The record as an outline if it can be read, else as lines with the reason."""
    trouble = ""
    if form is record_form.XML:
        try:
            return {"outline": outline(content)}
        except ParseError as exc:
            where = tk._("line {line}: ").format(line=exc.line) if exc.line else ""
            trouble = where + exc.message
    lines, is_all = record_form.lines_of(content)
    return {"lines": lines, "trouble": trouble, "is_all": is_all}


def _raw(content: str, name: str) -> Response:
    """Return a record's text as it was harvested, in UTF-8; ``name``: the file's, less its end."""
    form = record_form.form_of(content)
    text = record_form.as_utf8(content) if form is record_form.XML else content
    response = Response(text, content_type=f"{form.media_type}; charset=utf-8")
    name = re.sub(r"[^\w-]", "-", name, flags=re.ASCII)
    response.headers["Content-Disposition"] = f'inline; filename="{name}.{form.extension}"'
    response.add_etag()
    _guarded(response, _RAW_POLICY).make_conditional(tk.request.environ)
    return response


def _guarded(response: Response, policy: str) -> Any:
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = policy
    response.headers["Referrer-Policy"] = "no-referrer"
    return asked_anew(response)
