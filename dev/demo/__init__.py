"""The demo behind bin/demo: a portal that harvests the publishers in this folder.

What runs before the virtual environment exists imports only Python's own library, ``stack`` and
``tests.publisher``; only ``serve.py`` runs inside the environment.
"""
