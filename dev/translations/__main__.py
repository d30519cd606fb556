"""Write the template for translators and each language's files, or with --check list old ones.

--release lists what has to be translated before a release; exit code 1 if something has.
"""

import sys

from docs.generated import write

from .catalogue import POT
from .catalogue import written as template
from .languages import before_release, written

if sys.argv[1:] == ["--release"]:
    sys.exit(before_release())
sys.exit(write("bin/translations", __doc__, {POT: template(), **written()}, set()))
