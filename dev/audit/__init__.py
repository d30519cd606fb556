"""Known vulnerabilities of the packages that are installed for the tests, by pip-audit."""
