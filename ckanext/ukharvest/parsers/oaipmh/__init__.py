"""Records of OAI-PMH repositories: the parser for each is chosen by its root element."""
