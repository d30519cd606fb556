"""ckan's command line, counting what it does: python consumer.py COUNTS WORDS…"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import counters
from ckan.cli.cli import ckan

counters.start()
counters.keep_writing(Path(sys.argv[1]))
ckan(sys.argv[2:], prog_name="ckan")
