"""Make the demo's sysadmin and a token for the API: `python seed.py INI < user.json`.

Runs inside the virtual environment. All else goes through the API, which needs the token; CKAN's
own commands for this would start CKAN three times and show the password to `ps`.
"""

from __future__ import annotations

import json
import sys

import ckan.plugins.toolkit as tk
from ckan import model
from ckan.cli import load_config
from ckan.config.middleware import make_app


def main() -> None:
    app = make_app(load_config(sys.argv[1]))
    wanted = json.load(sys.stdin)
    with app._wsgi_app.test_request_context():
        token = _sign_up(wanted)
    json.dump({"token": token}, sys.stdout)


def _sign_up(wanted: dict[str, str]) -> str:
    context = {"ignore_auth": True, "user": "", "model": model}
    if model.User.get(wanted["name"]) is None:
        tk.get_action("user_create")({**context}, wanted)
    user = model.User.get(wanted["name"])
    user.sysadmin = True
    user.password = wanted["password"]  # an older database may have another
    model.Session.commit()
    made = {"user": user.name, "name": "bin/demo"}
    answer = tk.get_action("api_token_create")({**context, "user": user.name}, made)
    return str(answer["token"])


if __name__ == "__main__":
    main()
