"""bin/bench: how fast harvesting is, compared in one run with what it replaces and with a floor.

``catalogues`` makes what is harvested, ``portals`` the CKAN sites, ``cases`` what is measured and
the targets, ``report`` the document. ``inside`` and ``consumer`` run in CKAN's environment.
"""
