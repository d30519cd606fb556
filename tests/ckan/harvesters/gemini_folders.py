"""Folders of GEMINI records, and the errors of their runs."""

from __future__ import annotations

from typing import Any

from tests.publisher import Publisher


class Folder:
    """A folder of GEMINI files on a web server."""

    def __init__(self, publisher: Publisher, path: str = "/waf/") -> None:
        self.publisher = publisher
        self.path = path
        self.url = publisher.url(path)

    def serve(self, files: dict[str, str]) -> None:
        """Serve file name → record, listed in this order, and nothing else."""
        for path in [path for path in self.publisher.routes if path.startswith(self.path)]:
            del self.publisher.routes[path]
        links = "".join(f'<li><a href="{name}">{name}</a></li>' for name in files)
        page = f"<html><body><ul>{links}</ul></body></html>"
        self.publisher.serve(self.path, page, headers={"Content-Type": "text/html"})
        for name, text in files.items():
            self.publisher.serve(
                self.path + name, text, headers={"Content-Type": "application/xml"}
            )


def errors(job: dict[str, Any]) -> list[str]:
    return [each["message"] for each in job["object_error_summary"]]
