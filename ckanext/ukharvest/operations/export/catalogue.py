"""The portal as the export names it: its texts, and the contacts of its organisations."""

from __future__ import annotations

import functools
from collections.abc import Callable
from urllib.parse import urlsplit

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import parse_email, parse_url
from ckanext.ukharvest.operations.export.dataset import Agent, Catalogue

# Fields in which portals keep an organisation's contact: of data.gov.uk, of ckanext-dcat.
_EMAILS = ("contact-email", "contact_email", "email")
_NAMES = ("contact-name", "contact_name")


def describe_catalogue() -> Catalogue:
    """Return the portal's URL and what its settings say about it.

    Each organisation is read once, when a dataset asks for its contact.
    """
    url = config.site_url()
    title = str(tk.config.get("ckan.site_title") or "CKAN")
    description = str(tk.config.get("ckan.site_description") or "")
    # The portal's emails come from it, so it is public already.
    email = str(tk.config.get("smtp.mail_from") or f"noreply@{urlsplit(url).hostname}")
    contact = _of_text(title, config.own_http_contact())
    contact_of = functools.cache(_contact_of_organization)
    language = config.portal_language()
    return Catalogue(url, title, description or title, email, contact, contact_of, language)


def _of_text(name: str, text: str) -> Agent:
    """Return a contact by an email address or the URL of a page; nobody for any other text."""
    email, url = _parsed(parse_email, text), _parsed(parse_url, text)
    return Agent(name, email, "" if email else url) if email or url else Agent()


def _parsed(parse: Callable[[str], str], text: str) -> str:
    try:
        return parse(text) if text else ""
    except ValueError:
        return ""


def _contact_of_organization(id_: str) -> Agent:
    """Return the contact that an anonymous visitor sees of an organisation, nobody for none."""
    context = {"model": model, "session": model.Session, "user": "", "ignore_auth": False}
    names = ("datasets", "dataset_count", "users", "groups", "tags", "followers")
    wanted = {f"include_{name}": False for name in names}
    try:
        found = tk.get_action("organization_show")(context, {"id": id_, **wanted})
    except (tk.NotAuthorized, tk.ObjectNotFound):
        return Agent()
    facts = {each["key"]: each["value"] for each in found.get("extras") or ()} | found
    texts = (clean_text(facts.get(key)) for key in _EMAILS)
    email = next(filter(None, (_parsed(parse_email, text) for text in texts)), "")
    names_of = (clean_text(facts.get(key)) for key in (*_NAMES, "title", "name"))
    return Agent(next(filter(None, names_of), ""), email) if email else Agent()
