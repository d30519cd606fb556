"""Attacks on everything that reads foreign addresses or foreign text; see docs/security.md."""
