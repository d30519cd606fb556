"""What the words on the harvest pages mean: for the page of help."""

from __future__ import annotations

from ckanext.ukharvest.core.text import marked as _

TERMS = (
    (
        _("Harvest source"),
        _(
            "The address of a catalogue that this site copies metadata from, with how and how"
            " often to do it."
        ),
    ),
    (
        _("Record"),
        _("One dataset as the source describes it. The data itself stays at the publisher."),
    ),
    (_("Dataset"), _("What this site makes of a record: the page that people find here.")),
    (_("Run"), _("One pass over a source: read the list, then bring in what is new or changed.")),
    (
        _("Bring in"),
        _("Make a dataset here from a record, or bring the dataset up to date with it."),
    ),
    (
        _("Lost"),
        _(
            "A record that a run could not bring in. If its dataset is here already, it stays as"
            " it was."
        ),
    ),
    (
        _("Problem"),
        _(
            "Something in a record that is missing, or that nobody can read. The record is brought"
            " in all the same; mend it at the source, and the next run takes it over."
        ),
    ),
    (
        _("Held"),
        _(
            "A run found that unusually many datasets are gone from the source. Nothing is deleted"
            " until somebody has looked and decided."
        ),
    ),
    (
        _("Refresh source"),
        _("Start a run now. Records that did not change are left alone."),
    ),
    (
        _("Force full run"),
        _(
            "Start a run that brings in every record again, also unchanged ones. Changes made to"
            " the datasets here are written over."
        ),
    ),
    (
        _("Check only"),
        _("Read the source and say what a run would do, without changing anything."),
    ),
    (
        _("Identifier"),
        _(
            "What tells records apart and says that two of them, from one run to the next, are the"
            " same. On a dataset's page it is the Harvest GUID."
        ),
    ),
)

# By the keys of words/status.py.
STATES = {
    "queued": _("A run was asked for and begins with the next tick of the site's clock."),
    "gathering": _("The source is asked which records it has."),
    "importing": _("Records are brought in, one by one."),
    "deleting": _("Deletions that a person approved are carried out."),
    "finishing": _("All records are in; the run is about to be closed."),
    "stopping": _("Somebody asked to stop the run; what was brought in stays."),
    "checking": _("The source is read without changing anything."),
    "stuck": _("Nothing has happened for a while: the site's workers may be down."),
}
HEALTHS = {
    "healthy": _("The last run did all that it should."),
    "new": _("No run has ended yet."),
    "errors": _("The last run ended, and some records could not be brought in."),
    "hiccup": _("The last run failed in a way that often passes by itself; it is tried again."),
    "late": _("By its schedule the source should have run long ago."),
    "failing": _("Runs fail, and somebody has to do something about it."),
    "held": _("Deletions wait for a person's decision."),
    "off": _("The source is not run; its datasets stay as they are."),
}
OUTCOMES = {
    "finished": _("The run did all that it should, and something was new or changed."),
    "unchanged": _("The run found nothing new or changed."),
    "errors": _("The run ended, and some records could not be brought in."),
    "held": _("The run ended; deletions wait for a decision."),
    "failed": _("The run ended before its time. Nothing was deleted."),
    "stopped": _("A person ended the run, or the site did. What was brought in stays."),
}
RECORDS = {
    "added": _("A new dataset was made."),
    "updated": _("Its dataset was brought up to date."),
    "unchanged": _("Nothing in it changed, so nothing was done."),
    "deleted": _("It is gone from the source, and its dataset was deleted."),
    "missing": _("It was not in the last run; its dataset is deleted if it stays away."),
    "held": _("It is gone from the source; its dataset waits for a decision."),
    "kept": _("It is gone from the source, and a person decided to keep its dataset."),
    "lost": _("It could not be brought in."),
    "skipped": _("A setting leaves it out, or a person deleted its dataset here."),
    "waiting": _("It waits for its turn."),
}
