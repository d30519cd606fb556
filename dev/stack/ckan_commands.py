"""Several commands of ``ckan`` in one process: an ini, then a line for each command.

Without such lines they are read from standard input, so that `ps` shows no password. CKAN needs
eight seconds of processor time to start, which is more than most commands need.
"""

import shlex
import sys

sys.path.pop(0)  # this folder, whose modules have names of libraries

from ckan.cli.cli import ckan  # noqa: E402

for line in sys.argv[2:] or sys.stdin:
    ckan(["-c", sys.argv[1], *shlex.split(line)], standalone_mode=False)
