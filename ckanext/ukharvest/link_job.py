"""Old path of link checks: queued jobs may still name it; see ``engine/jobs/link_check.py``."""

from ckanext.ukharvest.engine.jobs.link_check import look_at_due

__all__ = ["look_at_due"]
