"""Names of datasets: chosen once, never changed by a harvest."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Iterable

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest.core.values.tags import slug
from ckanext.ukharvest.model import locks

_TEXTS = ARRAY(sa.UnicodeText)


class NameChooser:
    """Chooses names that no dataset has, deleted ones included, for the datasets of a batch.

    While ``locks`` are held, another batch with the same titles chooses after this one.

    Args:
        wanted: title, and text to make the name from instead ("" for none), of each dataset.

    Attributes:
        locks: for ``locks.hold`` until the transaction ends, before ``load``.
    """

    def __init__(self, wanted: Iterable[tuple[str, str]]) -> None:
        self._bases = Counter(_base(title, name) for title, name in wanted)
        self.locks = [(locks.NAMES, base) for base in self._bases]
        self._taken: set[str] = set()

    def load(self) -> None:
        """Load which names are taken, as far as these datasets are likely to need them."""
        if self._bases:
            several = {base for base, number in self._bases.items() if number > 1}
            self._taken = _taken(self._bases, several)

    def look_again(self) -> None:
        """Load all names that are taken: a person may have taken one meanwhile."""
        self._taken |= _taken(self._bases, set(self._bases))

    def choose(self, title: str, wanted: str = "") -> str:
        """Return a free name, which is taken from now on."""
        name = _free(_base(title, wanted), self._taken)
        self._taken.add(name)
        return name


def free_name(title: str, wanted: str = "") -> str:
    """Return a dataset name that no dataset has, deleted ones included.

    Args:
        wanted: text to make the name from instead of the title; unchanged if CKAN allows it.
    """
    base = _base(title, wanted)
    return _free(base, _taken([base]))


def _base(title: str, wanted: str) -> str:
    plain = wanted.replace("_", "-")
    return wanted if wanted and slug(plain) == plain else slug(wanted or title)


def _taken(bases: Iterable[str], several: Collection[str] = ()) -> set[str]:
    """Return the names that are taken: of these, and numbered ones where those are needed.

    Args:
        several: bases that more than one dataset will be named by.
    """
    name = model.Package.name
    query = model.Session.query(name)
    taken = {row[0] for row in query.filter(name.in_(list(bases)))}
    numbered = taken.union(several)
    if numbered:
        # Without an index for it, so only where a name is taken.
        patterns = [base.replace("_", r"\_") + "%" for base in numbered]
        taken |= {row[0] for row in query.filter(name.like(sa.any_(sa.cast(patterns, _TEXTS))))}
    return taken


def _free(base: str, taken: set[str]) -> str:
    if base not in taken:
        return base
    numbered = (f"{base}-{number}" for number in range(2, 1000))
    return next((name for name in numbered if name not in taken), f"{base}-{secrets.token_hex(4)}")
