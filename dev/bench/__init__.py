"""bin/bench: how fast harvesting is, compared in one run with what it replaces and with a floor.

``catalogues`` and ``serve`` make what is harvested, ``portals`` the CKAN sites, ``cases`` and
``large`` what is measured and the targets, ``report`` the document. ``inside`` and ``counters`` run
in CKAN's environment.
"""
