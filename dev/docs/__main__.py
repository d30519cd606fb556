"""Write pages and a table of the help page; --check prints those out of date."""

import sys

from .generated import write
from .lists import lists
from .pages import FOLDER, codes_by_type, export_page, pages

made = {**pages(), **lists(), **codes_by_type(), **export_page()}
sys.exit(write("bin/docs", __doc__, made, {*FOLDER.glob("*.md")}))
