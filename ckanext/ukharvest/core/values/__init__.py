"""Parsers of values as publishers write them: dates, places, licences, formats …

Every ``parse_*`` function returns the normalised value or raises ValueError with the end of a
sentence that starts with the field's name ("modified: " + text), ready for a Problem. Imports core
alone.
"""
