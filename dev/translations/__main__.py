"""Write the template for translators, or with --check tell whether it is out of date."""

import sys

from docs.generated import write

from .catalogue import POT, written

sys.exit(write("bin/translations", __doc__, {POT: written()}, set()))
