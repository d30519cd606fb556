"""Texts of pages, mails and commands, in the reader's language. Imports quality and below."""
