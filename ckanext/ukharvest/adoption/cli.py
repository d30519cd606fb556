"""``ckan ukharvest adopt``: adopt sources of other harvesters; ``attach``: datasets by a list."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import click
from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.adoption import pairs as dataset_pairs
from ckanext.ukharvest.adoption import rules as source_adoption
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.harvest.gather.dry_run import UNLIMITED
from ckanext.ukharvest.lib import other_harvesters
from ckanext.ukharvest.lib.output import (
    RefusedError,
    source_or_fail,
    validation_errors,
    write_csv,
    write_table,
)
from ckanext.ukharvest.lib.slots import slots_of
from ckanext.ukharvest.reading.adoption_changes import CHANGE_COLUMNS, change_rows

FINE, REFUSED = 0, 2
COLUMNS = ("guid", "name", "evidence")
MOST_DATASETS = 20
LONGEST = 60  # characters of an option's value


@click.command(short_help="Adopt sources and datasets that another harvester made.")
@click.argument("source", required=False)
@click.option(
    "--all", "all_", is_flag=True, help="Every source whose type or options have another form here."
)
@click.option(
    "--as",
    "as_type",
    default="",
    metavar="TYPE",
    help="The source type that reads the source, such as dcat_rdf. Its own type name is kept beside"
    " it, for hooks and searches.",
)
@click.option(
    "--by-guid",
    is_flag=True,
    help="The datasets that the source lists, also those of its own organisation that only "
    "share a guid with it.",
)
@click.option(
    "--accept-losses",
    multiple=True,
    metavar="SOURCE",
    help="Adopt this source even if an option is lost that keeps datasets closed or records out. "
    "Can be given several times.",
)
@click.option("--dry-run", is_flag=True, help="Change nothing, only show what would change.")
@click.option(
    "--read",
    is_flag=True,
    help="With --dry-run: also read each source, put its records through the portal's form, and "
    "list what would be refused.",
)
@click.option(
    "--sample",
    type=click.IntRange(1),
    metavar="N",
    help="With --dry-run: read only the first N records of each source.",
)
@click.option(
    "--output",
    type=click.File("w", encoding="utf-8", lazy=True),
    help="With --read or --sample: also write what would change as CSV to this file.",
)
@click.option(
    "--undo",
    is_flag=True,
    help="Restore the type, options and datasets of before, and release adopted datasets. Fields "
    "that others changed stay; so do new datasets.",
)
@click.option(
    "--finish",
    is_flag=True,
    help="End the move: sources get their usual type names, and adoptions can no longer be undone.",
)
def adopt(  # noqa: PLR0913
    source: str | None,
    all_: bool,
    as_type: str,
    by_guid: bool,
    accept_losses: tuple[str, ...],
    dry_run: bool,
    read: bool,
    sample: int | None,
    output: TextIO | None,
    undo: bool,
    finish: bool,
) -> None:
    """Adopt SOURCE (name or id) and the datasets that another harvester made of it.

    The source gets our name of its type, such as gemini-waf for waf, and its options in our form;
    what has no meaning here is dropped and listed. A source whose options keep datasets closed or
    records out, and have no counterpart here, is left as it is. --all lists each source that it
    leaves out, and why. The next run updates each dataset once, under its old id, name and
    resource ids. Exit code: 0 all went well, 1 --read found records that would fail, 2 there is no
    such source, or it cannot be adopted or read now.
    """
    wrong = (
        (
            finish and (source or all_ or undo or by_guid or as_type or read or sample),
            "--finish is for the whole portal: give it alone, or with --dry-run",
        ),
        (
            bool(source) == all_ and not finish,
            "give either the name or id of a source, or --all",
        ),
        (
            undo and (all_ or by_guid or as_type),
            "--undo is for one source, without --all, --as and --by-guid",
        ),
        (all_ and as_type, "--as is for one source, without --all"),
        (
            (read or sample) and (undo or not dry_run),
            "--read and --sample need --dry-run, and have no meaning with --undo",
        ),
        (output and not (read or sample), "--output needs --read or --sample"),
    )
    for is_wrong, message in wrong:
        if is_wrong:
            raise RefusedError(message)
    if finish:
        sys.exit(_finish(dry_run))
    reads = read or bool(sample)
    sources = (
        [source_or_fail(source)]
        if source
        else source_adoption.sources_to_adopt(with_unchanged=reads)
    )
    ids = [adopted.id for adopted in sources]  # each adoption ends the session's transaction
    accepted = {source_or_fail(name).id for name in accept_losses}
    options = {"by_guid": by_guid, "undo": undo, "dry_run": dry_run, "as_type": as_type}
    done = [
        _adopt(id_, {**options, "accept_losses": id_ in accepted}, list_datasets=not all_)
        for id_ in ids
    ]
    left_out = _write_left_out() if all_ else []
    if not done and not left_out:
        click.echo("No source has the type or options of another harvester: nothing to adopt.")
    if dry_run:
        # After the adoption these are not called.
        for hook in other_harvesters.find_uncalled_hooks():
            click.echo(f"Plugin {hook.plugin}: {other_harvesters.instead(hook.hooks)}")
    if dry_run and done:
        click.echo("Dry run: nothing was changed.")
    codes = [FINE if is_done else REFUSED for is_done in done]
    codes += left_out
    if reads:
        wanted = [id_ for id_, is_done in zip(ids, done, strict=True) if is_done]
        codes += _read(wanted, as_type, sample or 0, output)
    sys.exit(max(codes, default=FINE))


def _finish(dry_run: bool) -> int:
    """Finish the move of each source; return the exit code."""
    ids = [source.id for source in source_adoption.sources_to_finish()]
    if not ids:
        click.echo("No source was adopted: nothing to finish.")
    options = {"finish": True, "undo": False, "dry_run": dry_run}
    done = [_adopt(id_, options, list_datasets=False) for id_ in ids]
    return FINE if all(done) else REFUSED


def _write_left_out() -> list[int]:
    """Print each source that nothing can adopt, and why; return an exit code for each."""
    sources = source_adoption.sources_left_out()
    for source in sources:
        click.echo(f"Left out: {source.name}: {source.reason}.")
    return [FINE if source.is_harvested else REFUSED for source in sources]


def _read(ids: Sequence[str], as_type: str, most: int, output: TextIO | None) -> list[int]:
    """Read sources as their first runs would after the adoption; return an exit code for each.

    Args:
        most: number of records of each source, 0 for all.
        output: gets what would change, as CSV.
    """
    if most:
        records = counted(most, "record")
        click.echo(f"A sample of {records} of each source: others can change in other ways.")
    rows: list[dict[str, Any]] = []
    codes = []
    for id_ in ids:
        source = HarvestSource.get(id_)
        name = model.Package.get(id_).name
        planned = source_adoption.plan(source, as_type=as_type)
        how = (planned.new_type, planned.new_config or "", replace(UNLIMITED, records=most))
        for slot in slots_of("dry_run"):
            code, result = slot.facts(source, *how)
            codes.append(code)
            if result:
                url = tk.url_for("harvest.read", id=name, _external=True)
                click.echo(f"The result is also at {url}/check for a day.")
                rows += [{"source": name, **row} for row in change_rows(result)]
    if output:
        write_csv(rows, CHANGE_COLUMNS, output)
    return codes


def _adopt(source_id: str, options: Mapping[str, Any], *, list_datasets: bool) -> bool:
    """Adopt one source and print what was done; return False if it was refused."""
    data = {"source_id": source_id, **options}
    try:
        done = tk.get_action("ukharvest_source_adopt")(_context(), data)
    except tk.ValidationError as exc:
        package = model.Package.get(source_id)
        refusal = "; ".join(exc.error_dict["source_id"])
        click.echo(f"Error: {package.name if package else source_id}: {refusal}", err=True)
        return False
    _write_source(done)
    if done["refusal"]:
        click.echo(f"Error: {done['name']}: {done['refusal']}", err=True)
        return False
    if options.get("finish"):
        return True
    datasets = done["datasets"] if list_datasets else []
    if datasets:
        write_table(datasets[:MOST_DATASETS], COLUMNS)
    if len(datasets) > MOST_DATASETS:
        click.echo(f"… and {len(datasets) - MOST_DATASETS:,} more")
    if not options["undo"]:
        verb = "would be adopted" if options["dry_run"] else "adopted"
        click.echo(f"{counted(len(done['datasets']), 'dataset')} {verb}.")
        if (done["changes"] or done["datasets"]) and not options["dry_run"]:
            undo = f"ckan ukharvest adopt {done['name']} --undo"
            click.echo(f"To undo this: {undo}")
    else:
        verb = "would be restored" if options["dry_run"] else "restored"
        click.echo(f"{counted(done['restored'], 'dataset')} {verb}.")
        for dataset in done["left"]:
            click.echo(f"  {dataset['name']}: {dataset['reason']}")
        if not options["dry_run"]:
            click.echo(f"{counted(done['released'], 'dataset')} no longer adopted.")
    return True


def _context() -> dict[str, Any]:
    return {"ignore_auth": True, "user": config.site_user()}


def _write_source(done: Mapping[str, Any]) -> None:
    old, new = done["old_type"], done["new_type"]
    click.echo(f"Source {done['name']}")
    click.echo(f"Type: {old} (stays)" if old == new else f"Type: {old} → {new}")
    for option in done["options"]:
        click.echo(f"Option {option['name']}: {_format_change(option)}")


def _format_change(option: Mapping[str, Any]) -> str:
    old, reason = _short(option["value"]), option["reason"]
    if option["change"] == "dropped":
        return f"dropped, was {old} ({reason})"
    if option["change"] == "added":
        return f"added: {_short(option['new_value'])} ({reason})"
    if option["change"] == "kept":
        return f"kept, {old}"
    dropped = f" (in part: {reason})" if reason else ""
    return f"{old} → {option['new_name']}: {_short(option['new_value'])}{dropped}"


def _short(value: Any) -> str:
    text = " ".join(json.dumps(value, ensure_ascii=False).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


@click.command(short_help="Attach existing datasets to a source's records.")
@click.argument("source")
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--dry-run", is_flag=True, help="Change nothing, only check the list.")
def attach(source: str, path: Path, dry_run: bool) -> None:
    """Attach the datasets that FILE lists to records of SOURCE (name or id).

    FILE is CSV with the columns dataset (name or id) and guid (of the record). The next run imports
    the records into these datasets instead of adding new ones. If one row is wrong, none is
    attached. 'ckan ukharvest adopt SOURCE --undo' goes back. Exit code: 0, or 2 if a row is wrong.
    """
    source_id = source_or_fail(source).id
    try:
        pairs = dataset_pairs.read_csv(path.read_bytes())
    except (OSError, ValueError) as exc:
        raise RefusedError(f"{path}: {exc}") from exc
    data = {"source_id": source_id, "pairs": pairs, "dry_run": dry_run}
    with validation_errors():
        done = tk.get_action("ukharvest_dataset_attach")(_context(), data)
    if datasets := done["attached"][:MOST_DATASETS]:
        write_table(datasets, COLUMNS[:2])
    verb = "would be attached" if dry_run else "attached"
    click.echo(f"{counted(len(done['attached']), 'dataset')} {verb}.")
    if done["unchanged"]:
        click.echo(f"{counted(done['unchanged'], 'dataset')} attached already.")


COMMANDS = (adopt, attach)
