"""Stars of openness in words: the sentences are made where they are shown, from code and detail."""

from __future__ import annotations

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest.core.stars import Stars
from ckanext.ukharvest.stars import hooks


def caption(stars: int) -> str:
    """Return what a number of stars means."""
    captions = (
        tk._("Not available, or not openly licensed"),
        tk._("Unstructured data (such as PDF)"),
        tk._("Structured data in a proprietary format (such as Excel)"),
        tk._("Structured data in an open format (such as CSV)"),
        tk._("Linkable data, with addresses for things (such as RDF)"),
        tk._("Linked data, which names things that other data name"),
    )
    return str(captions[stars])


def out_of_five(stars: int) -> str:
    """Return "0 out of 5" and so on: without words, none looks like not known."""
    return str(tk._("{stars} out of 5").format(stars=stars))


def in_words(found: Stars) -> str:
    """Return stars and reason as one sentence, without a full stop."""
    return f"{out_of_five(found.stars)}: {reason(found)}"


def reason(found: Stars) -> str:
    """Return why there are so many stars, and what would help where there are none."""
    words = hooks.reason(found)
    if words:
        return words
    texts = _formats() if found.code == "format" else _reasons()
    text = texts.get(str(found.stars) if found.code == "format" else found.code, "")
    # Of a code that is not ours (ckanext-qa's, a plugin's) the detail is the reason.
    text = text or "{detail}"
    return str(text.format(detail=_detail(found))) or caption(found.stars)


def short(code: str, stars: int) -> str:
    """Return a reason without what it names, for counting datasets."""
    if code == "format":
        return caption(stars)
    return str(_kinds().get(code, code))


def _detail(found: Stars) -> str:
    if found.code != "closed-licence":
        return found.detail
    known = model.Package.get_license_register().get(found.detail)
    return str(known.title) if known else found.detail


def _formats() -> dict[str, str]:
    return {
        "1": tk._("unstructured data ({detail}): a table or another structured format is better"),
        "2": tk._("structured data in a proprietary format ({detail})"),
        "3": tk._("structured data in an open format ({detail})"),
        "4": tk._("data that names things by addresses ({detail})"),
        "5": tk._("data that is linked to other data ({detail})"),
    }


def _reasons() -> dict[str, str]:
    return {
        "linked": tk._("data that is linked to other data ({detail})"),
        "not-data": tk._(
            "{detail} is a page or a program and no data: add the address of the data itself"
        ),
        "unknown-format": tk._(
            "it can be had, but its format, “{detail}”, is none that is rated here: use one that "
            "many programs read, such as CSV"
        ),
        "no-format": tk._(
            "it can be had, but neither its format nor its address says what it is: name the "
            "format, such as CSV"
        ),
        "no-licence": tk._(
            "no licence is given, so it is not clear that the data is open: name one, such as the "
            "Open Government Licence"
        ),
        "closed-licence": tk._(
            "its licence, “{detail}”, is not an open one: if everybody may use the data for "
            "everything, choose an open licence such as the Open Government Licence"
        ),
        "unclear-licence": tk._(
            "what is said of its licence, “{detail}”, names no open licence that is known here: "
            "give the address of the licence's text"
        ),
        "no-data": tk._("there is no data: add a file, or the address of a service"),
        "unpublished": tk._("the data is not published yet"),
    }


def _kinds() -> dict[str, str]:
    return {
        "linked": caption(5),
        "not-data": tk._("A page or a program and no data"),
        "unknown-format": tk._("A format that is not rated"),
        "no-format": tk._("No format"),
        "no-licence": tk._("No licence"),
        "closed-licence": tk._("A licence that is not open"),
        "unclear-licence": tk._("A licence that is not known"),
        "no-data": tk._("No data"),
        "unpublished": tk._("Not published yet"),
        "qa": tk._("Judged by its content (ckanext-qa)"),
    }
