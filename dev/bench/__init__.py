"""bin/bench: how fast harvesting is, compared in one run with what it replaces and with a floor.

``portals`` has what runs: CKAN sites, consumers and the publisher (``serve``). ``cases`` has what
is measured and the targets, ``results`` the page. ``inside`` and ``counters`` run in CKAN's
environment.
"""
