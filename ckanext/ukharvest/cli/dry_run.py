"""``ckan ukharvest run --dry-run``: the dry run of a source's page, in the terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator

import click
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.outcomes import PreviewKind
from ckanext.ukharvest.core.problems.texts import LOST
from ckanext.ukharvest.presentation.messages import source_previews as words
from ckanext.ukharvest.presentation.messages.problems import describe_problem
from ckanext.ukharvest.reading.preview_result import PreviewResult, ProblemGroup
from ckanext.ukharvest.reading.source_preview import Tell

FINE, ERRORS, UNUSABLE = 0, 1, 2
LINE_EVERY = 5.0  # seconds between two lines of progress


def dry_run(source: HarvestSource) -> int:
    """Read a source as a run would, print what the run would do, and return the exit code."""
    click.echo(f"Reading {source.url} …", err=True)
    try:
        result = queue.get_harvester(source.type).dry_run(source, print_progress())
    except ConfigError as exc:
        click.echo(f"Error: {exc.message}", err=True)
        return UNUSABLE
    click.echo("\n".join(_lines(result)))
    if result["error"]:
        click.echo(f"Error: {result['error']['message']}", err=True)
    if result["error"] or not result["read"]:
        return UNUSABLE
    return ERRORS if result["fates"].get("lost") else FINE


def print_progress() -> Tell:
    """Return a function that prints how far a dry run is, every few seconds."""
    last = time.monotonic()

    def tell(stage: str, done: int) -> bool:
        nonlocal last
        if time.monotonic() - last >= LINE_EVERY:
            last = time.monotonic()
            click.echo(words.progress("running", stage, done, most=0), err=True)
        return True

    return tell


def _lines(result: PreviewResult) -> Iterator[str]:
    yield words.heading(PreviewKind.DRY_RUN, "done", result)
    yield from words.sentences(PreviewKind.DRY_RUN, result)
    for group in result["problems"]:
        yield from _problem(group)
    for sample in result["sample"]:
        what = sample["change"] or sample["fate"]
        yield f"  {what:<9} {sample['title'] or '(no title)'} ({sample['guid'] or sample['url']})"


def _problem(group: ProblemGroup) -> Iterator[str]:
    is_lost, count = group["severity"] == LOST, group["records"]
    title = describe_problem(group["code"], group["severity"], group["field"]).title
    yield f"[{group['code']}] {title}:" + (
        f" {count:,} record{'' if count == 1 else 's'}" + (" lost" if is_lost else "")
    )
    for example in group["examples"]:
        line = f" (line {example['line']})" if example["line"] else ""
        yield f"  {example['title'] or example['guid']}: {example['message']}{line}"
