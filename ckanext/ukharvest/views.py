"""The pages' routes, as CKAN looks for them."""

from ckanext.ukharvest.pages.changes import changes
from ckanext.ukharvest.pages.deletions import deletions
from ckanext.ukharvest.pages.form import source_form
from ckanext.ukharvest.pages.help import help_page
from ckanext.ukharvest.pages.mail import mail
from ckanext.ukharvest.pages.portal import portal
from ckanext.ukharvest.pages.record import record
from ckanext.ukharvest.pages.records import records
from ckanext.ukharvest.pages.runs import runs
from ckanext.ukharvest.pages.source import source
from ckanext.ukharvest.pages.sources import sources
from ckanext.ukharvest.pages.stars import stars
from ckanext.ukharvest.pages.steps import steps
from ckanext.ukharvest.pages.trials import trials

# What CKAN takes from here.
__all__ = [
    "changes",
    "deletions",
    "help_page",
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
    "trials",
]
