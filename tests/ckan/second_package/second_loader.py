"""Another extension, which loads files into a store in the background."""

from __future__ import annotations

from typing import Any

import ckan.plugins as p
from ckan.plugins import toolkit as tk


class FileLoaderPlugin(p.SingletonPlugin):
    """Queues a job for each new file and for each that gets another URL, as xloader does."""

    p.implements(p.IResourceController, inherit=True)
    p.implements(p.IResourceUrlChange)

    def after_resource_create(self, context: Any, resource_dict: dict[str, Any]) -> None:
        file = context["session"].get(context["model"].Resource, resource_dict["id"])
        if file.name == "refused":
            raise ValueError("not this one")
        tk.enqueue_job(print, [resource_dict["id"]], title=f"create {resource_dict['url']}")

    def notify(self, resource: Any) -> None:
        file = tk.get_action("resource_show")({"ignore_auth": True}, {"id": resource.id})
        tk.enqueue_job(print, [file["id"]], title=f"move {file['url']}")
