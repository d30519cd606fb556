"""XML from outside: the only parser, and a check before other parsers read it."""
