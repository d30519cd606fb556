"""Gather: read a source, stage the records to import, plan deletions, release the objects.

``run.run`` calls the steps in order; each other module is a step: functions on ``GatherState``.
Released (``staged_objects.show``) objects are those that fetch consumers can see.
"""
