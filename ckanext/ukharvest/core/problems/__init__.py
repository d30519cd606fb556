"""Problems and errors of records, by code: titles, severities, and what to do."""
