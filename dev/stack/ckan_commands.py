"""Several commands of ``ckan`` in one process: an ini, then a line for each command.

CKAN needs eight seconds of processor time to start, which is more than most commands need.
"""

import shlex
import sys

sys.path.pop(0)  # this folder, whose modules have names of libraries

from ckan.cli.cli import ckan  # noqa: E402

for line in sys.argv[2:]:
    ckan(["-c", sys.argv[1], *shlex.split(line)], standalone_mode=False)
