"""Match the header of a file with the columns of its schema, and report differences."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from ckanext.ukharvest.core.values.text import counted, shorten
from ckanext.ukharvest.schema_check.collector import Collector
from ckanext.ukharvest.schema_check.columns import Column, TableRules
from ckanext.ukharvest.schema_check.rows import fold

_ROW = 1  # of the header


def match(
    header: Sequence[str], rules: TableRules, collector: Collector
) -> list[tuple[int, Column]]:
    """Return each column of the schema that the file has, with its position from 0.

    Columns are found by name, also where case or spaces differ; what differs is reported or noted
    as ``rules.match`` says. If no column is found, that is the one error.
    """
    names = [name.strip() for name in header]
    names[0] = names[0].lstrip("\ufeff")
    found = _find(names, rules.columns)
    if not found:
        expected = ", ".join(each.name for each in rules.columns)
        text = ", ".join(header)
        wanted = f"a header row with the schema's columns: {expected}"
        collector.error("no-header", wanted, row=_ROW, found=text)
        return []
    _report_names(names, collector)
    missing = [each for each in rules.columns if each.name not in found]
    extra = [n for n in range(len(names)) if n not in found.values() and names[n]]
    if rules.match == "by-name":
        _note_differences(names, found, missing, extra, rules, collector)
    else:
        _report_differences(names, found, missing, extra, rules, collector)
    return [(found[each.name], each) for each in rules.columns if each.name in found]


def _find(names: Sequence[str], columns: Sequence[Column]) -> dict[str, int]:
    """Return positions by the schema's names: exact names first, then folded ones."""
    wanted = {each.name for each in columns}
    backwards = list(enumerate(names))[::-1]  # so that the first of two of one name wins
    found = {name: position for position, name in backwards if name in wanted}
    folded = {fold(name): position for position, name in backwards}
    for column in columns:
        position = folded.get(fold(column.name))
        if column.name not in found and position is not None and position not in found.values():
            found[column.name] = position
    return found


def _report_names(names: Sequence[str], collector: Collector) -> None:
    """Report columns without a name, and names that occur twice."""
    for number, name in enumerate(names, 1):
        if not name:
            expected = f"a name for column {number}"
            collector.error("blank-label", expected, row=_ROW, cells=(number - 1,))
        elif name in names[: number - 1]:
            expected = f"each name once; column {names.index(name) + 1} has it, too"
            code, cells = "duplicate-label", (number - 1,)
            collector.error(code, expected, row=_ROW, column=name, found=name, cells=cells)


def _note_differences(
    names: Sequence[str],
    found: dict[str, int],
    missing: Sequence[Column],
    extra: Sequence[int],
    rules: TableRules,
    collector: Collector,
) -> None:
    """csvlint's way: a required column that is missing is an error, other differences are noted."""
    for column, position in found.items():
        if names[position] != column:
            written, wanted = shorten(names[position]), shorten(column)
            collector.note(f"The column '{written}' is called '{wanted}' in the schema.")
    for each in missing:
        if each.required:
            _report_missing(each, names, extra, collector)
    optional = [each.name for each in missing if not each.required]
    if optional:
        shown = shorten(", ".join(optional), 200)
        collector.note(f"The file lacks {counted(len(optional), 'optional column')}: {shown}.")
    if extra:
        shown = shorten(", ".join(names[n] for n in extra), 200)
        collector.note(f"The schema does not have {counted(len(extra), 'column')}: {shown}.")


def _report_differences(
    names: Sequence[str],
    found: dict[str, int],
    missing: Sequence[Column],
    extra: Sequence[int],
    rules: TableRules,
    collector: Collector,
) -> None:
    """Table Schema's way: names are exact; ``fieldsMatch`` says what else may differ."""
    for column, position in found.items():
        if names[position] != column:
            written, code, cells = names[position], "incorrect-label", (position,)
            collector.error(code, column, row=_ROW, column=column, found=written, cells=cells)
    has_all = rules.match in ("exact", "equal", "subset")
    for each in missing:
        if has_all or each.required:
            _report_missing(each, names, extra, collector)
    if rules.match in ("exact", "equal", "superset"):
        for number in extra:
            name, code, cells = names[number], "extra-label", (number,)
            expected = "only the schema's columns"
            collector.error(code, expected, row=_ROW, column=name, found=name, cells=cells)
    positions = [found[each.name] for each in rules.columns if each.name in found]
    if rules.match == "exact" and positions != sorted(positions):
        order = ", ".join(each.name for each in rules.columns)
        text = ", ".join(names)
        collector.error("column-order", f"the columns in this order: {order}", row=_ROW, found=text)


def _report_missing(
    column: Column, names: Sequence[str], extra: Sequence[int], collector: Collector
) -> None:
    near = get_close_matches(column.name, [names[n] for n in extra], 1)
    what = "the required column" if column.required else "the column"
    collector.error(
        "missing-label",
        f"{what} {column.name}",
        row=_ROW,
        column=column.name,
        found=near[0] if near else "",
    )
