"""Records of Dublin Core, as OAI-PMH repositories have to offer them."""
