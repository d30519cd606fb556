"""What states, healths, outcomes and severities are called and look like, in one table each.

Calm ones have no fill, so that what is open stands out; a word always stands beside the icon, and
colour says nothing that the two do not. ``text-bg-*`` alone keeps a contrast of 4.5 in CKAN's base
themes. Icons are Font Awesome's, as CKAN 2.11 and 2.12 bring them.
"""

from __future__ import annotations

from dataclasses import dataclass

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.text import marked as _

CALM, MUTED, EDGED = "ukharvest-calm", "ukharvest-muted", "ukharvest-edged"
WARNING, DANGER, PRIMARY = "text-bg-warning", "text-bg-danger", "text-bg-primary"
SECONDARY, LIGHT, INFO = "text-bg-secondary", "text-bg-light border", "text-bg-info"


@dataclass(frozen=True, slots=True)
class Status:
    """How one value is shown: a word (English, for ``_()``), CSS classes, an icon's name."""

    word: str
    css: str
    icon: str

    @property
    def text(self) -> str:
        """The word in the reader's language."""
        return str(tk._(self.word))


# What a source is doing.
STATES = {
    "new": Status(_("Not run yet"), EDGED, "fa-circle-info"),
    "idle": Status(_("Nothing running"), CALM, "fa-circle-check"),
    "queued": Status(_("Scheduled"), LIGHT, "fa-clock"),
    "gathering": Status(_("Reading the list"), PRIMARY, "fa-magnifying-glass"),
    "importing": Status(_("Importing"), PRIMARY, "fa-spinner"),
    "deleting": Status(_("Deleting"), PRIMARY, "fa-trash-can"),
    "checking": Status(_("Checking"), PRIMARY, "fa-vial"),
    "finishing": Status(_("Finishing"), PRIMARY, "fa-hourglass-half"),
    "stopping": Status(_("Stopping"), SECONDARY, "fa-circle-stop"),
    "held": Status(_("Waiting for a decision"), WARNING, "fa-circle-pause"),
    "stuck": Status(_("Not moving"), DANGER, "fa-triangle-exclamation"),
    "off": Status(_("Switched off"), SECONDARY, "fa-power-off"),
}

# Whether a source is all right.
HEALTHS = {
    "off": Status(_("Switched off"), SECONDARY, "fa-power-off"),
    "held": Status(_("Held"), WARNING, "fa-circle-pause"),
    "failing": Status(_("Failing"), DANGER, "fa-circle-xmark"),
    "late": Status(_("Late"), WARNING, "fa-clock"),
    "hiccup": Status(_("Last try failed"), EDGED, "fa-triangle-exclamation"),
    "errors": Status(_("Some records lost"), WARNING, "fa-triangle-exclamation"),
    "new": Status(_("No finished run yet"), EDGED, "fa-circle-info"),
    "healthy": Status(_("Healthy"), CALM, "fa-circle-check"),
}

# How a run ended.
OUTCOMES = {
    "finished": Status(_("Finished"), CALM, "fa-circle-check"),
    "errors": Status(_("Finished with errors"), WARNING, "fa-triangle-exclamation"),
    "held": Status(_("Held"), WARNING, "fa-circle-pause"),
    "failed": Status(_("Failed"), DANGER, "fa-circle-xmark"),
    "stopped": Status(_("Stopped"), SECONDARY, "fa-circle-stop"),
    "unchanged": Status(_("Nothing changed"), MUTED, "fa-equals"),
    "running": Status(_("Running"), PRIMARY, "fa-spinner"),
    "queued": Status(_("Scheduled"), LIGHT, "fa-clock"),
}

# What became of a record.
RECORDS = {
    "added": Status(_("Added"), CALM, "fa-plus"),
    "updated": Status(_("Updated"), CALM, "fa-pen"),
    "unchanged": Status(_("Unchanged"), MUTED, "fa-equals"),
    "deleted": Status(_("Deleted"), SECONDARY, "fa-trash-can"),
    "missing": Status(_("Not seen"), EDGED, "fa-eye-slash"),
    "held": Status(_("Would be deleted"), WARNING, "fa-circle-pause"),
    "kept": Status(_("Kept, gone from the source"), MUTED, "fa-box-archive"),
    "lost": Status(_("Lost"), DANGER, "fa-circle-xmark"),
    "skipped": Status(_("Left out"), MUTED, "fa-filter"),
    "waiting": Status(_("Not imported yet"), LIGHT, "fa-clock"),
}

# What a problem means for the record that has it.
SEVERITIES = {
    "stop": Status(_("Stopped the run"), DANGER, "fa-circle-xmark"),
    "lost": Status(_("Record lost"), DANGER, "fa-circle-xmark"),
    "problem": Status(_("Brought in, something is missing"), WARNING, "fa-triangle-exclamation"),
    "note": Status(_("For information"), LIGHT, "fa-circle-info"),
}

# Whether a part of the portal works; also of doctor's findings.
CHECKS = {
    "ok": Status(_("Fine"), CALM, "fa-circle-check"),
    "info": Status(_("For information"), LIGHT, "fa-circle-info"),
    "warning": Status(_("To be looked at"), WARNING, "fa-triangle-exclamation"),
    "error": Status(_("Needs you"), DANGER, "fa-circle-xmark"),
}

KINDS = {
    "state": STATES,
    "health": HEALTHS,
    "outcome": OUTCOMES,
    "record": RECORDS,
    "severity": SEVERITIES,
    "check": CHECKS,
}


def find(kind: str, value: str) -> Status:
    """Return how a value of a kind is shown; a value that is not known is shown as it is."""
    return KINDS[kind].get(value) or Status(value, MUTED, "fa-circle-question")
