"""The portal as the export names it: its texts, and the contacts of its organisations."""

from __future__ import annotations

import functools
from urllib.parse import urlsplit

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.web_addresses import parse_email, parse_url
from ckanext.ukharvest.operations.export.dataset import Agent, Catalogue, Fields, parse_or_empty

# Fields in which portals keep an organisation's contact: of data.gov.uk, of ckanext-dcat.
_EMAILS = ("contact-email", "contact_email", "email")
_NAMES = ("contact-name", "contact_name")


def describe_catalogue() -> Catalogue:
    """Return the portal's URL and what its settings say about it.

    Each organisation is read once, when a dataset asks for its contact.
    """
    url = config.site_url()
    title = str(tk.config.get("ckan.site_title") or "CKAN")
    # By an email address or the URL of a page; nobody for any other text.
    text = config.own_http_contact()
    email, page = parse_or_empty(parse_email, text), parse_or_empty(parse_url, text)
    return Catalogue(
        url,
        title,
        description=str(tk.config.get("ckan.site_description") or title),
        # The portal's emails come from it, so it is public already.
        email=str(tk.config.get("smtp.mail_from") or f"noreply@{urlsplit(url).hostname}"),
        contact=Agent(title, email, "" if email else page) if email or page else Agent(),
        contact_of=functools.cache(_contact_of_organization),
        language=config.portal_language(),
    )


def _contact_of_organization(id_: str) -> Agent:
    """Return the contact that an anonymous visitor sees of an organisation, nobody for none."""
    context = {"model": model, "session": model.Session, "user": "", "ignore_auth": False}
    names = ("datasets", "dataset_count", "users", "groups", "tags", "followers")
    few = {f"include_{name}": False for name in names}
    try:
        organisation = tk.get_action("organization_show")(context, {"id": id_, **few})
    except (tk.NotAuthorized, tk.ObjectNotFound):
        return Agent()
    fields = Fields(organisation)
    email = fields.valid(parse_email, *_EMAILS)
    return Agent(fields.text(*_NAMES, "title", "name"), email) if email else Agent()
