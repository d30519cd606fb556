"""The context of the user who requests a page, for actions, and rollback of its transaction."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model


def context() -> dict[str, Any]:
    """Return an action context of the user who requests the page.

    As in CKAN's own views it includes the user object, else each check would load it again.
    """
    return {
        "user": tk.current_user.name,
        "auth_user_obj": tk.current_user,
        "model": model,
        "session": model.Session,
    }


def roll_back() -> None:
    """Roll back what a failed action wrote, so that the page can use the session again."""
    model.Session.rollback()
