"""OAI-PMH 2.0 repositories: requests, responses, the walk over lists in pages."""
