"""Labels of the fields of tables of values."""

from __future__ import annotations

from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.mapping import record_values

# Field → label, English.
FIELDS = {
    record_values.ORGANISATION: _("Organisation"),
    record_values.LICENCE: _("Licence"),
    record_values.THEME: _("Theme"),
    record_values.FREQUENCY: _("Update frequency"),
    record_values.GROUP: _("Group"),
    record_values.TYPE: _("Type"),
    record_values.LANGUAGE: _("Language"),
}
