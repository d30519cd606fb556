"""Old path of source previews: queued jobs may name it; see ``engine/jobs/source_preview.py``."""

from ckanext.ukharvest.engine.jobs.source_preview import run

__all__ = ["run"]
