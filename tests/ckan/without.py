"""A portal without one feature, as if its folder and its line in ``FEATURES`` were deleted.

``python -m tests.ckan.without FEATURE INI`` reads a JSON object: ``pages`` (label → path),
``headers`` (of a sysadmin) and ``source`` (id). It opens the pages, harvests the source, does a
tick and runs doctor. It prints JSON: ``statuses`` (label → statuses for a visitor and a sysadmin),
``status`` and ``counts`` of the run, ``doctor`` (what could not be checked) and ``imported``
(modules of the feature).
"""

from __future__ import annotations

import json
import sys
from importlib.abc import MetaPathFinder
from typing import Any

FEATURE, INI = sys.argv[1:]
FOLDER = f"ckanext.ukharvest.{FEATURE}"


class Refusal(MetaPathFinder):
    """Finds none of the feature's modules."""

    def find_spec(self, name: str, *_more: Any) -> None:
        """Refuse the feature's modules, and leave others to Python."""
        if f"{name}.".startswith(f"{FOLDER}."):
            raise ModuleNotFoundError(f"{name} is removed", name=name)


sys.meta_path.insert(0, Refusal())

from ckan.cli import load_config  # noqa: E402
from ckan.config.middleware import make_app  # noqa: E402
from ckan.tests.helpers import CKANTestApp, call_action  # noqa: E402

from ckanext.ukharvest import features  # noqa: E402

del features.FEATURES[FEATURE]


def main() -> None:
    """Do all of it."""
    given = json.load(sys.stdin)
    app = CKANTestApp(make_app(load_config(INI)))
    statuses = {
        label: [app.get(path, headers=headers).status_code for headers in ({}, given["headers"])]
        for label, path in given["pages"].items()
    }
    with app.flask_app.test_request_context():
        report = {"statuses": statuses, **harvest(given["source"])}
        report["doctor"] = examine() if FEATURE != "doctor" else []
    report["imported"] = [name for name in sys.modules if f"{name}.".startswith(f"{FOLDER}.")]
    print(f"\n{json.dumps(report)}")  # noqa: T201


def harvest(source_id: str) -> dict[str, Any]:
    """Run a source and close the run by a tick."""
    from tests.ckan.harvesting import tick, work_off

    context = {"ignore_auth": True}
    job = call_action("harvest_job_create", context, source_id=source_id, run=True)
    work_off()
    tick()
    shown = call_action("harvest_job_show", context, id=job["id"])
    return {"status": shown["status"], "counts": shown["stats"]}


def examine() -> list[str]:
    """Return what doctor could not check."""
    from ckanext.ukharvest import doctor

    texts = (finding.message for finding in doctor.examine())
    return [text for text in texts if "could not be checked" in text]


if __name__ == "__main__":
    main()
