"""The page of docs/portal about what the export cannot carry, from the code's table."""

from __future__ import annotations

from pathlib import Path

from ckanext.ukharvest.operations.export.losses import DATA_JSON, LOSSES, RDF, Loss

from .codes import ROOT
from .tables import MADE, table

_HEAD = """\
# What the exported files cannot carry

{made}

[The exported catalogue](export.md) as JSON Lines has all fields of all datasets. A portal that
harvests the other files gets the same datasets, except for these fields. A test compares all
others, for all source types. "Added" says that datasets and files without a value get one, and
that all others keep theirs. Names are those of fields and extras in CKAN; `resource.` stands
before those of resources.
"""


def page() -> dict[Path, str]:
    """Return the page's path and text."""
    head = ("field", "why it differs", RDF, DATA_JSON)
    rows = (
        (
            ", ".join(f"`{field}`" for field in loss.fields),
            loss.reason,
            *(_effect(loss) if format_ in loss.formats else "" for format_ in (RDF, DATA_JSON)),
        )
        for loss in LOSSES
    )
    text = "\n".join([_HEAD.format(made=MADE), *table(head, rows), ""])
    return {ROOT / "docs" / "portal" / "export-fields.md": text}


def _effect(loss: Loss) -> str:
    return "added" if loss.is_added else "differs"
