"""What translators start from: every text of the extension, in one catalogue."""
