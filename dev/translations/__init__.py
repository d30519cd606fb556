"""The template for translators: every text of the extension, in one catalogue."""
