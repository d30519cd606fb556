"""Write the template for translators and each language's files, or with --check list old ones."""

import sys

from docs.generated import write

from .catalogue import POT
from .catalogue import written as template
from .languages import written

sys.exit(write("bin/translations", __doc__, {POT: template(), **written()}, set()))
