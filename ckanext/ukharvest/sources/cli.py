"""Commands of sources.

``sources``, ``runs``, ``types``, ``diff``: lists; ``source edit``: options; ``schedule`` and
``unschedule``: when a source runs.
"""

from __future__ import annotations

import json
from typing import Any

import click
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.schedule import DAYS, FREQUENCIES, MANUAL
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.harvest.records import record_history
from ckanext.ukharvest.lib import output, texts
from ckanext.ukharvest.lib.actions import collect_pages
from ckanext.ukharvest.sources.form_values import change_option, read_config

FIGURES = ("added", "updated", "not modified", "missing", "deleted", "errored")
SOURCE_COLUMNS = (
    "name",
    "type",
    "organization",
    "organization_type",
    "frequency",
    "next_run",
    "state",
    "health",
    "datasets",
    "held_deletions",
    "last_run",
    "outcome",
    *FIGURES,
    "url",
)
# Names stand last and are not cut: they are given to other commands.
SOURCE_TABLE = ("health", "datasets", "last_run", "next_run", "title", "name")
SHORT_TITLE = 24  # characters
COLOURS = {"+": "green", "-": "red", "@": "cyan"}  # of the lines of a difference
RUN_COLUMNS = ("created", "source", "status", "mode", "outcome", *FIGURES, "id", "reason")
RUN_TABLE = ("created", "source", "outcome", *FIGURES, "reason", "id")
# Headings of tables: the words of the pages.
LABELS = {
    "created": "Started",
    "datasets": "Datasets",
    "errored": "Failed",
    "health": "Status",
    "id": "Run",
    "last_run": "Last run",
    "name": "Name",
    "next_run": "Next run",
    "not modified": "Unchanged",
    "outcome": "Result",
    "reason": "Reason",
    "source": "Source",
    "title": "Title",
    **{key: texts.RECORDS[key].word for key in ("added", "updated", "missing", "deleted")},
}


def _ask(action: str, **data: Any) -> Any:
    try:
        return tk.get_action(action)({"ignore_auth": True}, data)
    except tk.ObjectNotFound as exc:
        raise output.RefusedError(
            f"{data.get('source')}: {exc.message}; 'ckan ukharvest sources --all' lists them"
        ) from exc


def _write(
    rows: list[dict[str, Any]], columns: tuple[str, ...], table: tuple[str, ...], form: str
) -> None:
    """Print rows as JSON, as CSV with these columns, or in a table with the words of the pages."""
    flat = rows if form == "json" else list(map(_flat, rows))
    if form != "table":
        output.write(flat, columns, form)
        return
    for row in flat:
        for kind in {"health", "outcome"} & row.keys():
            row[kind] = texts.find_label(kind, row[kind]).text
        for name in {"last_run", "next_run", "created"} & row.keys():
            row[name] = str(row[name] or "")[:16].replace("T", " ")  # 2026-11-22 03:10
        row["title"] = shorten(row.get("title") or "", SHORT_TITLE)
    output.write_table(flat, table, LABELS)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the figures of its run at the top level, None for each without a run."""
    run = row["last_run"] or {} if "last_run" in row else row
    stats = run.get("stats") or {}
    flat = {**row, **{name: stats.get(name) for name in FIGURES}}
    flat["outcome"] = run.get("outcome") or run.get("status", "")
    if "last_run" in row:
        flat["last_run"] = run.get("finished") or run.get("created")
    return flat


@click.command()
@click.option("--all", "include_inactive", is_flag=True, help="Also inactive and deleted sources.")
@click.option(
    "--organization-type",
    metavar="TYPE",
    default="",
    help='Only sources of organisations of this type, such as "Local Government".',
)
@output.form_option
def sources(include_inactive: bool, organization_type: str, form: str) -> None:
    """List harvest sources with status, datasets, last and next run (UTC), the worst first.

    CSV and JSON also have schedule, figures of the last run and deletions that wait.
    """

    def ask(offset: int) -> Any:
        of = {"include_inactive": include_inactive, "organization_type": organization_type}
        return _ask("ukharvest_source_list", **of, sort="health", limit=500, offset=offset)

    _write(list(collect_pages(ask)), SOURCE_COLUMNS, SOURCE_TABLE, form)


@click.command()
@click.option("--source", help="Name or id of one harvest source; default: all.")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@output.form_option
def runs(source: str | None, limit: int, form: str) -> None:
    """List runs, newest first, with their figures and why they ended as they did."""
    scope = {"source": source} if source else {}
    rows = _ask("ukharvest_run_list", limit=limit, **scope)["results"]
    _write(rows, RUN_COLUMNS, RUN_TABLE, form)


@click.command()
@output.form_option
def types(form: str) -> None:
    """List the source types with the options that a source's configuration can set."""
    rows = _ask("ukharvest_type_list")
    if form == "json":
        output.write_json(rows)
    elif form == "csv":
        options = [
            {"type": kind["name"], "aliases": kind["aliases"], "option": option["name"], **option}
            for kind in rows
            for option in kind["options"]
        ]
        output.write_csv(options, ("type", "aliases", "option", "kind", "default", "help"))
    else:
        for kind in rows:
            _write_type(kind)


def _write_type(kind: dict[str, Any]) -> None:
    off = "" if kind["enabled"] else " (its plugin is not in the line ckan.plugins)"
    click.echo(f"{kind['name']}: {kind['title']}{off}\n  {kind['description']}.")
    if kind["aliases"]:
        click.echo(f"  other names: {', '.join(kind['aliases'])}")
    for option in kind["options"]:
        value = option["default"]
        text = str(value).lower() if isinstance(value, bool) else value
        default = "none" if value in (None, "", []) else text
        click.echo(f"  {option['name']} ({option['kind']}, {default})")
        click.echo(f"      {option['help']}")
        if option["choices"]:
            click.echo(f"      one of: {', '.join(option['choices'])}")
    click.echo()


@click.command(short_help="Show what changed in a record.")
@click.argument("source")
@click.argument("guid")
@click.option("--from", "from_", type=int, help="Number of the older version.")
@click.option("--to", type=int, help="Number of the newer version.")
def diff(source: str, guid: str, from_: int | None, to: int | None) -> None:
    """Show what changed in the record GUID of SOURCE (name or id).

    Without options between its last two versions. Version 1 is the oldest one that is kept.
    """
    stored = record_history.versions_of(output.source_or_fail(source).id, guid)
    if not stored:
        raise output.RefusedError(f"{guid}: the source has no record of this identifier")
    new = _pick(stored, to if to is not None else len(stored))
    old = _pick(stored, from_ if from_ is not None else max(new.number - 1, 1))
    if old is new:
        created = f"{new.created:%Y-%m-%d %H:%M} UTC"
        click.echo(f"Version {new.number} of {len(stored)} ({created}) alone.")
        return
    for line in record_history.diff_versions(old, new) or ("Only order or layout changed.",):
        # click removes colours if the output is no terminal.
        click.secho(line, fg=COLOURS.get(line[:1]))


def _pick(stored: list[record_history.Version], number: int) -> record_history.Version:
    if not 1 <= number <= len(stored):
        raise output.RefusedError(
            f"there is no version {number}; expected a number from 1 to {len(stored)}"
        )
    return stored[number - 1]


@click.group("source", short_help="Change a source.")
def source_group() -> None:
    """Change a harvest source."""


@source_group.command(short_help="Set options of a source.")
@click.argument("name", metavar="SOURCE")
@click.option(
    "--option",
    "pairs",
    metavar="NAME=VALUE",
    multiple=True,
    required=True,
    help="An option and its new value; NAME= alone takes the default. Can be repeated.",
)
def edit(name: str, pairs: tuple[str, ...]) -> None:
    """Set options of SOURCE (name or id), checked as in its form; they apply from the next run.

    The items of a list are separated by commas or are a JSON list; tables are JSON objects.
    'ckan ukharvest types' lists the options of each type.
    """
    source = output.source_or_fail(name)
    kind, options = source_types.find(source.type), read_config(source.config or "")
    if kind is None or options is None:
        raise output.RefusedError(
            f"{name}: its type is not one of ours, or its configuration is no JSON object; change "
            "it in its form"
        )
    for pair in pairs:
        option, equals, text = pair.partition("=")
        if not equals:
            raise output.RefusedError(f"--option {pair}: expected NAME=VALUE")
        try:
            options = change_option(kind, options, option.strip(), text.strip())
        except ConfigError as exc:
            raise output.RefusedError(exc.message) from exc
    # Who may use the command line may set what only sysadmins may.
    context = {"ignore_auth": True, "user": config.site_user()}
    data = {"id": source.id, "config": json.dumps(options, indent=2) if options else ""}
    with output.validation_errors():
        saved = tk.get_action("harvest_source_patch")(context, data)
    click.echo(saved["config"] or "All options have their defaults.")


_FREQUENCIES = [name.lower() for name in FREQUENCIES if name != MANUAL]


@click.command(short_help="Show or set when a source runs.")
@click.argument("name", metavar="SOURCE")
@click.option(
    "--frequency",
    type=click.Choice(_FREQUENCIES, case_sensitive=False),
    help="Default: as until now; with --cron: cron.",
)
@click.option("--cron", metavar="EXPRESSION", help='Such as "30 6,18 * * 1-5".')
@click.option("--time", metavar="HH:MM", help="Default: some time after midnight.")
@click.option(
    "--day", "days", type=click.Choice(DAYS), multiple=True, help="Can be given several times."
)
@click.option("--zone", help="Time zone such as Europe/London. Default: the portal's.")
def schedule(name: str, **options: Any) -> None:
    """Set when SOURCE (name or id) runs; without options, show when it does.

    What is left out takes its default. Exit code: 0, or 2 if the schedule is not possible.
    """
    source = output.source_or_fail(name)
    wanted = {key: value for key, value in options.items() if value}
    if wanted and source.frequency in (None, MANUAL) and not wanted.keys() & {"frequency", "cron"}:
        raise output.RefusedError(f"{name}: not scheduled yet; give --frequency or --cron too")
    if wanted:
        if wanted.keys() == {"zone"}:  # of a cron expression too
            shown = _ask("ukharvest_source_show", source_id=source.id)
            wanted["cron"] = shown["schedule"]["cron"]
        wanted["frequency"] = wanted.get("frequency", "").upper()
        _update_schedule(source.id, **wanted)
    shown = _ask("ukharvest_source_show", source_id=source.id)
    plan = shown["schedule"]
    often = FREQUENCIES[shown["frequency"]]
    own = ", ".join(filter(None, (plan["cron"], plan["time"], *plan["days"])))
    click.echo(f"{shown['name']}: {often}{f' ({own})' if own else ''}, {plan['zone']}")
    click.echo(f"{plan['text']}.")
    for start in plan["next_starts"]:
        click.echo(f"  {start[:16].replace('T', ' ')} UTC")


@click.command(short_help="Start a source no longer by itself.")
@click.argument("name", metavar="SOURCE")
def unschedule(name: str) -> None:
    """Run SOURCE (name or id) only when someone starts it."""
    source = output.source_or_fail(name)
    _update_schedule(source.id, frequency=MANUAL)
    click.echo(f"{name}: runs only when someone starts it.")


def _update_schedule(source_id: str, **data: Any) -> None:
    context = {"ignore_auth": True, "user": config.site_user()}
    with output.validation_errors():
        tk.get_action("ukharvest_schedule_update")(context, {"source_id": source_id, **data})


COMMANDS = (diff, runs, schedule, source_group, sources, types, unschedule)
