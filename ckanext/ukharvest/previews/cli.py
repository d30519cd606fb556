"""``ckan ukharvest check`` and ``source move``, and dry runs in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import click
from ckan.plugins import toolkit as tk
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.core.dataset_changes import DATASET
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.outcomes import PreviewKind
from ckanext.ukharvest.core.problems.texts import LOST
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.gather.dry_run import BUDGET, UNLIMITED
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.lib.output import (
    RefusedError,
    source_or_fail,
    validation_errors,
    write_table,
)
from ckanext.ukharvest.lib.slots import Slot
from ckanext.ukharvest.lib.texts import describe_problem, find_label
from ckanext.ukharvest.previews import jobs as preview_jobs
from ckanext.ukharvest.previews import moves as move_rules
from ckanext.ukharvest.previews import texts as preview_texts
from ckanext.ukharvest.reading.adoption_changes import AdoptionChanges
from ckanext.ukharvest.reading.budget import Budget
from ckanext.ukharvest.reading.preview_result import PreviewResult, ProblemGroup
from ckanext.ukharvest.reading.refusals import Refused
from ckanext.ukharvest.sources.cli import source_group

FINE, ERRORS, UNUSABLE = 0, 1, 2
LINE_EVERY = 5.0  # seconds between two lines of progress
MOST_FILES = 20  # that are listed


def dry_run(
    source: HarvestSource, type_: str = "", text: str | None = None, budget: Budget = BUDGET
) -> tuple[int, PreviewResult | None]:
    """Read a source as a run would, print what the run would do.

    Args:
        type_, text: source type and options that it will have once it is adopted; the result is
            then also stored as the latest test of the source.
        budget: how many records are read, and how long it may take.

    Returns:
        Exit code, and the result; None if the options cannot be used.
    """
    click.echo(f"Reading {source.url} …", err=True)
    place = {"source_type": source.type, "url": source.url}
    source_id = source.id
    try:
        result = queue.get_harvester(type_ or source.type).dry_run(
            source, preview_jobs.throttled(_print_progress, LINE_EVERY), text, budget
        )
    except ConfigError as exc:
        click.echo(f"Error: {exc.message}", err=True)
        return UNUSABLE, None
    click.echo("\n".join(_lines(result)))
    if type_:
        user = config.harvest_user()
        source_previews.add_result(user, source_id, text or "", result, **place)
    if result["error"]:
        click.echo(f"Error: {result['error']['message']}", err=True)
    if result["error"] or not result["read"]:
        return UNUSABLE, result
    return ERRORS if result["fates"].get("lost") else FINE, result


SLOTS = (Slot("dry_run", "", dry_run),)


def _print_progress(stage: str, done: int) -> bool:
    click.echo(preview_texts.progress("running", stage, done), err=True)
    return True


def _lines(result: PreviewResult) -> Iterator[str]:
    yield preview_texts.heading(PreviewKind.DRY_RUN, "done", result)
    yield from preview_texts.sentences(PreviewKind.DRY_RUN, result)
    if refused := result["refused"]:
        yield from _refused(refused)
    if adopted := result["adopted"]:
        yield from _adopted(adopted)
    for group in result["problems"]:
        yield from _problem(group)
    for sample in result["sample"]:
        what = find_label("record", sample["change"] or sample["fate"]).text
        yield f"  {what:<9} {sample['title'] or '(no title)'} ({sample['guid'] or sample['url']})"


def _refused(refused: Refused) -> Iterator[str]:
    """Yield what the portal's form refuses: by field, then the first records."""
    for field in refused["fields"]:
        yield f"  {field['field']}: {field['records']:,}"
        yield from (f"    {row['text']} ({row['records']:,})" for row in field["reasons"])
    for record in refused["examples"]:
        words = "; ".join(f"{name}: {text}" for name, text in record["fields"].items())
        yield f"  refused   {record['title'] or record['guid']}: {words}"


def _adopted(adopted: AdoptionChanges) -> Iterator[str]:
    """Yield what changes in datasets that are here: by field, with examples, then files that go."""
    for field in adopted["fields"]:
        whose = "" if field["of"] == DATASET else " of files"
        yield f"  changed   {field['field']}{whose}: {field['records']:,}"
        for change in field["examples"]:
            yield f"    {change['name']}: {change['old'] or '–'} → {change['new'] or '–'}"
    for file in adopted["files"][:MOST_FILES]:
        yield f"  file goes {file['name']}: {file['url']} ({file['reason']})"
    if (more := adopted["files_count"] - MOST_FILES) > 0:
        yield f"  … and {more:,} more files that go"


def _problem(group: ProblemGroup) -> Iterator[str]:
    is_lost, count = group["severity"] == LOST, group["records"]
    texts = describe_problem(group["code"], group["severity"], group["field"])
    yield f"[{group['code']}] {texts.title}:" + (
        f" {count:,} record{'' if count == 1 else 's'}" + (" failed" if is_lost else "")
    )
    if texts.fix:
        yield f"  How to fix it: {texts.fix}"
    for example in group["examples"]:
        line = f" (line {example['line']})" if example["line"] else ""
        yield f"  {example['title'] or example['guid']}: {example['message']}{line}"


MOVED, FEW = 0, 1
COLUMNS = ("title", "name", "guid")


@source_group.command(short_help="Move a source to another URL; its datasets stay.")
@click.argument("name", metavar="SOURCE")
@click.argument("url", metavar="NEW_URL")
@click.option("--type", "type_", default="", help="Source type there, if it is another one.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Only say what is there; change nothing.")
@click.option(
    "--even-if-few-match",
    is_flag=True,
    help="Move it even if fewer than half of its datasets are there.",
)
@click.option("--all", "all_", is_flag=True, help="List every dataset that is not there, not 20.")
def move(
    name: str, url: str, type_: str, is_dry: bool, even_if_few_match: bool, all_: bool
) -> None:
    """Move SOURCE (name or id) to NEW_URL; its datasets and their resources stay.

    Reads the new URL first, and compares the identifiers there with those of the source's
    datasets: as they are, and with the new URL in the place of the old one. Exit code: 0 the
    source was moved, or can be; 1 fewer than half of its datasets are there; 2 it cannot be moved.
    """
    preview = _test(source_or_fail(name), url, type_)
    result: Mapping[str, Any] = preview.result or {}
    message = (result.get("error") or {}).get("message") or move_rules.refusal(preview)
    if message:
        raise RefusedError(message)
    click.echo("\n".join(preview_texts.sentences(PreviewKind.MOVE, result)))
    missing = move_rules.list_missing(preview, None if all_ else move_rules.LISTED)
    if missing:
        write_table(missing, COLUMNS)
    if (more := len(result["move"]["missing"]) - len(missing)) > 0:
        click.echo(f"… and {more:,} more; --all lists them")
    is_few = move_rules.few_records_match(result["move"])
    if is_dry:
        click.echo("Dry run: nothing was changed.")
        sys.exit(FEW if is_few else MOVED)
    if is_few and not even_if_few_match:
        click.echo("Error: " + tk._(move_rules.FEW_MATCH), err=True)
        click.echo("Nothing was changed. To move it all the same: --even-if-few-match", err=True)
        sys.exit(FEW)
    context = {"ignore_auth": True, "user": config.harvest_user()}
    request = {"source_id": preview.source_id, "dry_run_id": preview.id}
    with validation_errors():
        tk.get_action("ukharvest_source_move")(
            context, {**request, "even_if_few_match": even_if_few_match}
        )
    click.echo(tk._(move_rules.MOVED))


def _test(source: HarvestSource, url: str, type_: str) -> SourcePreview:
    """Test a source at another URL in this process, without a limit of time."""
    with validation_errors():
        asked = {"url": url, "source_type": type_}
        preview, is_new = move_rules.add_dry_run(config.harvest_user(), source, asked)
    if not is_new:
        raise RefusedError("a dry run of this move is in progress; wait for it")
    click.echo(f"Reading {preview.url} …", err=True)
    preview_jobs.run(preview.id, UNLIMITED, preview_jobs.throttled(_print_progress, LINE_EVERY))
    ended = source_previews.find_preview(preview.id)
    if ended is None:
        raise RefusedError("the dry run was stopped")
    return ended


@click.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
    add_help_option=False,
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def check(words: tuple[str, ...]) -> None:
    """Show what a URL or a saved file would bring, without writing anything.

    The same as the command "ukharvest check", which needs no CKAN: see its --help.
    """
    # Imported here, else every other ``ckan`` command would load the readers and parsers.
    from ckanext.ukharvest.check_command.command import main

    sys.exit(main(["check", *words]))


COMMANDS = (check,)  # move is one of source_group
