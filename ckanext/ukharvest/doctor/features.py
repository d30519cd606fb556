"""Checks of single features: links, stars, emails, lists of values, export, pruning."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import config
from ckanext.ukharvest.core.link_states import LinkState
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.doctor.finding import (
    ERROR,
    INFO,
    PRUNE,
    STARS,
    WARNING,
    Finding,
    check,
)
from ckanext.ukharvest.export import files as export_files
from ckanext.ukharvest.export.files import FORMATS
from ckanext.ukharvest.harvest import datasets
from ckanext.ukharvest.harvest import links as link_results
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.prune import count_prunable
from ckanext.ukharvest.links import jobs as link_jobs
from ckanext.ukharvest.notifications import model as notification_model
from ckanext.ukharvest.notifications import sending
from ckanext.ukharvest.stars import plugins

LINKS_WAIT = datetime.timedelta(days=1)
EXPORT_AGE = datetime.timedelta(days=2)  # cron exports each night
MANY_ROWS = 500_000  # to prune: they slow down queries and backups


@check("links", "No link is waiting to be checked.")
def waiting_links() -> Iterator[Finding]:
    """Find links that wait for a jobs worker; report how many work and how many wait."""
    if not config.checks_links():
        return
    since = utcnow() - LINKS_WAIT
    figures = link_results.figures(since)
    if figures.waiting and (figures.last is None or figures.last < since):
        yield Finding(
            WARNING,
            "links",
            f"{counted(figures.waiting, 'link')} of resources waited more than a day for a check: "
            "no background worker seems to be running.",
            "Start 'ckan jobs worker' and have your process manager keep it running; or let "
            "cron call "
            "'ckan ukharvest links --check'; or set ckanext.ukharvest.links.check = false.",
        )
    if figures.known or figures.unknown:
        numbers = (
            (figures.unknown, "without a known format"),
            (figures.states[LinkState.FAILING], "not reachable at the last check"),
            (figures.states[LinkState.AWAY], "whose server does not answer"),
            (figures.states[LinkState.DEAD], "dead"),
        )
        faults = "".join(f"; {number:,} {text}" for number, text in numbers if number)
        today = link_jobs.load_figures()
        yield Finding(
            INFO,
            "links",
            f"{counted(figures.known + figures.unknown, 'link')} of resources checked"
            f"{faults}. {link_jobs.format_backlog(today)} "
            f"{link_jobs.format_data(today)}".strip(),
            "'ckan ukharvest links --state dead' lists dead links, 'ckan ukharvest links "
            "--unknown' says why a format was not found.",
        )


@check("stars", "Every dataset has its stars of openness.")
def unscored_datasets() -> Iterator[Finding]:
    """Find datasets without stars of openness."""
    if number := datasets.count_datasets(without_stars=True):
        yield Finding(
            INFO,
            "stars",
            f"Datasets without stars of openness: {number:,}.",
            "Run 'ckan ukharvest stars --all'.",
            STARS,
        )


@check("stars-plugins", "No plugin failed to change stars.")
def ignored_plugins() -> Iterator[Finding]:
    """Find a plugin that failed at stars, or returned none, since all datasets were scored."""
    if fault := plugins.last_fault():
        yield Finding(
            WARNING,
            "stars-plugins",
            f"The plugin '{fault['plugin']}' failed to change stars of openness, on "
            f"{fault['at'][:16]} UTC: {fault['error']}. The stars without it were kept.",
            "Correct the plugin or take it out of ckan.plugins, restart CKAN and the consumers, "
            "then run 'ckan ukharvest stars --all'.",
        )


@check("mail", "No mail was refused.")
def refused_mails() -> Iterator[Finding]:
    """Find out whether mails can be sent, and whether the mail server took the last one."""
    option = sending.missing_option()
    if option and notification_model.sources():
        yield Finding(
            WARNING,
            "mail",
            f"No email can be sent: {option} is not set.",
            f"Set {option} in the settings and restart CKAN, then send a test email from the "
            "Notifications page of a source.",
        )
    elif failure := sending.last_failure():
        yield Finding(
            WARNING,
            "mail",
            f"The last mail could not be sent, on {failure['at'][:16]} UTC: {failure['error']}.",
            "Check smtp.server and the other smtp settings, then send a test email from "
            "the Notifications page of a source.",
        )


@check("vocabularies", "The portal's own lists of values can be used.", is_quick=True)
def own_lists() -> Iterator[Finding]:
    """Find files that cannot be used, and a missing folder."""
    folder = vocabulary.folder()
    if folder is not None and not folder.is_dir():
        yield Finding(
            WARNING,
            "vocabularies",
            f"{config.PREFIX}vocabularies is {folder}, which is no folder here.",
            "Make it, or take the setting away.",
        )
    for name, fault in vocabulary.faults().items():
        yield Finding(
            ERROR,
            "vocabularies",
            f"The portal's own list {name} is not used: {fault}.",
            f"Correct {name}.csv, or delete it to go back to the list of this extension.",
        )


@check("export", "No export of the catalogue is out of date.")
def old_export() -> Iterator[Finding]:
    """Find out whether exports have stopped, or leave datasets out; nothing without an export."""
    export = export_files.load_manifest(config.export_folder())
    if export is None:
        return
    made = datetime.datetime.fromisoformat(export["date"]).replace(tzinfo=None)
    if utcnow() - made > EXPORT_AGE:
        yield Finding(
            WARNING,
            "export",
            f"The last export of the catalogue is of {export['date'][:10]}.",
            "Run 'ckan ukharvest export', and see why cron does not. If it is no longer wanted, "
            f"remove {config.export_folder()}.",
        )
    if export["left_out"]:
        yield Finding(
            WARNING,
            "export",
            f"{counted(export['left_out'], 'dataset')} could not be exported.",
            "Run 'ckan ukharvest export': the log says why.",
        )
    if missing := export.get("unavailable"):
        yield Finding(
            WARNING,
            "export",
            f"The export has no {' and no '.join(FORMATS[name].title for name in missing)}: "
            "ckanext-dcat is not installed.",
            "Run \"pip install 'ckanext-ukharvest[dcat]'\", or take "
            f"{' and '.join(missing)} out of ckanext.ukharvest.export.formats.",
        )


@check("storage", "There is nothing to prune.")
def sizes() -> Iterator[Finding]:
    """Report the size of ``harvest_object`` and the share that can be pruned."""
    runs = config.prune_keep_runs()
    prunable = count_prunable(config.our_type_names(), keep_runs=runs)
    if not prunable.objects and not prunable.jobs:
        return
    size = model.Session.scalar(
        sa.text("SELECT pg_size_pretty(pg_total_relation_size('harvest_object'))")
    )
    yield Finding(
        WARNING if prunable.objects > MANY_ROWS else INFO,
        "storage",
        f"The table harvest_object has {size}; {prunable.objects:,} of its rows and "
        f"{prunable.jobs:,} jobs are older than the last {runs} runs of their source.",
        "'ckan ukharvest prune' removes them; cron does it too, little by little.",
        PRUNE,
    )
