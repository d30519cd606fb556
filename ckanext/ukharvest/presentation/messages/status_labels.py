"""Labels and looks of states, healths, outcomes and severities, one table for each.

Calm ones have no fill, so that others stand out; a label always accompanies the icon, and colour
adds no information. Only ``text-bg-*`` has a contrast of 4.5 in CKAN's base themes. Icons are Font
Awesome's, as in CKAN 2.11 and 2.12.
"""

from __future__ import annotations

from dataclasses import dataclass

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.outcomes import RunOutcome
from ckanext.ukharvest.core.problems.texts import Severity
from ckanext.ukharvest.core.source_status import Health
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.model import run_records

CALM, MUTED, EDGED = "ukharvest-calm", "ukharvest-muted", "ukharvest-edged"
WARNING, DANGER, PRIMARY = "text-bg-warning", "text-bg-danger", "text-bg-primary"
SECONDARY, LIGHT, INFO = "text-bg-secondary", "text-bg-light border", "text-bg-info"

# Values by which lists of records can be filtered, in the order of the page.
PROBLEMS = run_records.PROBLEMS
RECORD_FILTERS = (*run_records.OUTCOMES[:1], PROBLEMS, *run_records.OUTCOMES[1:])


@dataclass(frozen=True, slots=True)
class Status:
    """Looks of one value: a label (English, for ``_()``), CSS classes, an icon's name."""

    word: str
    css: str
    icon: str

    @property
    def text(self) -> str:
        """The label in the reader's language."""
        return str(tk._(self.word))


# The activity of a source.
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
    "stuck": Status(_("Stuck"), DANGER, "fa-triangle-exclamation"),
    "off": Status(_("Switched off"), SECONDARY, "fa-power-off"),
}

# The health of a source.
HEALTHS: dict[str, Status] = {
    Health.OFF: Status(_("Switched off"), SECONDARY, "fa-power-off"),
    Health.HELD: Status(_("Waiting for a decision"), WARNING, "fa-circle-pause"),
    Health.FAILING: Status(_("Failing"), DANGER, "fa-circle-xmark"),
    Health.LATE: Status(_("Late"), WARNING, "fa-clock"),
    Health.HICCUP: Status(_("Last run failed"), EDGED, "fa-triangle-exclamation"),
    Health.EMPTY: Status(_("Lists no records"), WARNING, "fa-triangle-exclamation"),
    Health.SHRUNK: Status(_("Many records missing"), WARNING, "fa-triangle-exclamation"),
    Health.ERRORS: Status(_("Some records failed"), WARNING, "fa-triangle-exclamation"),
    Health.NEW: Status(_("No finished run yet"), EDGED, "fa-circle-info"),
    Health.HEALTHY: Status(_("Healthy"), CALM, "fa-circle-check"),
}

# The outcome of a run.
OUTCOMES: dict[str, Status] = {
    RunOutcome.FINISHED: Status(_("Finished"), CALM, "fa-circle-check"),
    RunOutcome.ERRORS: Status(_("Finished with errors"), WARNING, "fa-triangle-exclamation"),
    RunOutcome.EMPTY: Status(_("No records found"), WARNING, "fa-triangle-exclamation"),
    RunOutcome.SHRUNK: Status(_("Many records missing"), WARNING, "fa-triangle-exclamation"),
    RunOutcome.HELD: Status(_("Waiting for a decision"), WARNING, "fa-circle-pause"),
    RunOutcome.DECIDED: Status(_("Decided"), CALM, "fa-circle-check"),
    RunOutcome.SETTLED: Status(_("No longer waiting"), MUTED, "fa-circle-check"),
    RunOutcome.FAILED: Status(_("Failed"), DANGER, "fa-circle-xmark"),
    RunOutcome.STOPPED: Status(_("Stopped"), SECONDARY, "fa-circle-stop"),
    RunOutcome.UNCHANGED: Status(_("Nothing changed"), MUTED, "fa-equals"),
    RunOutcome.RUNNING: Status(_("Running"), PRIMARY, "fa-spinner"),
    RunOutcome.QUEUED: Status(_("Scheduled"), LIGHT, "fa-clock"),
}

# The outcome of a record.
RECORDS = {
    "added": Status(_("Added"), CALM, "fa-plus"),
    "updated": Status(_("Updated"), CALM, "fa-pen"),
    "unchanged": Status(_("Unchanged"), MUTED, "fa-equals"),
    "deleted": Status(_("Deleted"), SECONDARY, "fa-trash-can"),
    "missing": Status(_("Not seen"), EDGED, "fa-eye-slash"),
    "held": Status(_("Deletion pending"), WARNING, "fa-circle-pause"),
    "kept": Status(_("Kept: no longer in the source"), MUTED, "fa-box-archive"),
    "lost": Status(_("Failed"), DANGER, "fa-circle-xmark"),
    "skipped": Status(_("Skipped"), MUTED, "fa-filter"),
    "waiting": Status(_("Not imported yet"), LIGHT, "fa-clock"),
}

# The effect of a problem on its record.
SEVERITIES: dict[str, Status] = {
    Severity.STOP: Status(_("Stopped the run"), DANGER, "fa-circle-xmark"),
    Severity.LOST: Status(_("Failed: not imported"), DANGER, "fa-circle-xmark"),
    Severity.PROBLEM: Status(_("Imported with a problem"), WARNING, "fa-triangle-exclamation"),
    Severity.NOTE: Status(_("For information"), LIGHT, "fa-circle-info"),
}

# Whether a part of the portal works; also for doctor's results.
CHECKS = {
    "ok": Status(_("Fine"), CALM, "fa-circle-check"),
    "info": Status(_("For information"), LIGHT, "fa-circle-info"),
    "warning": Status(_("To check"), WARNING, "fa-triangle-exclamation"),
    "error": Status(_("Needs your attention"), DANGER, "fa-circle-xmark"),
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
    """Return the label and looks of a value of a kind; an unknown value is its own label."""
    return KINDS[kind].get(value) or Status(value, MUTED, "fa-circle-question")
