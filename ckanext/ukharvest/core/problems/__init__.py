"""Problems and errors of records, by code: titles and severities (texts), what to do (tips)."""
