"""The blueprints of our pages, where CKAN's blanket looks for them."""

from ckanext.ukharvest.doctor.pages import portal
from ckanext.ukharvest.stars.pages import stars
from ckanext.ukharvest.web.pages.changes import changes
from ckanext.ukharvest.web.pages.data_checks import data_checks
from ckanext.ukharvest.web.pages.deletions import deletions
from ckanext.ukharvest.web.pages.export import export
from ckanext.ukharvest.web.pages.form import source_form
from ckanext.ukharvest.web.pages.gate import gate
from ckanext.ukharvest.web.pages.help import help_page
from ckanext.ukharvest.web.pages.identifiers import identifiers
from ckanext.ukharvest.web.pages.links import links
from ckanext.ukharvest.web.pages.mail import mail
from ckanext.ukharvest.web.pages.record import record
from ckanext.ukharvest.web.pages.records import records
from ckanext.ukharvest.web.pages.runs import runs
from ckanext.ukharvest.web.pages.source import source
from ckanext.ukharvest.web.pages.source_previews import previews
from ckanext.ukharvest.web.pages.sources import sources
from ckanext.ukharvest.web.pages.steps import steps

# CKAN registers the blueprints in this list.
__all__ = [
    "changes",
    "data_checks",
    "deletions",
    "export",
    "gate",
    "help_page",
    "identifiers",
    "links",
    "mail",
    "portal",
    "record",
    "records",
    "runs",
    "source",
    "source_form",
    "sources",
    "stars",
    "steps",
    "previews",
]
