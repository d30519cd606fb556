"""ckan's command line, counting what it does: python consumer.py COUNTS UPGRADES WORDS…

UPGRADES: so much higher are the parsers' versions than this release's.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import counters
from ckan.cli.cli import ckan

counters.start()
counters.keep_writing(Path(sys.argv[1]))
types = importlib.import_module("ckanext.ukharvest.source_types").TYPES
for parser in {kind.parser for kind in types.values()}:
    parser.VERSION += int(sys.argv[2])
ckan(sys.argv[3:], prog_name="ckan")
