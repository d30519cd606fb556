"""Runs that fail, and the mails about them."""

from __future__ import annotations

from ckan import model

PATH = "/data.json"
Session = model.Session
