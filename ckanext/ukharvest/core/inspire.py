"""The 34 spatial data themes of INSPIRE (Directive 2007/2/EC, annexes I to III)."""

from __future__ import annotations

import re

# In the Directive's order, which the oldest addresses count; labels are those of the register
# http://inspire.ec.europa.eu/theme.
THEMES = {
    "rs": "Coordinate reference systems",
    "gg": "Geographical grid systems",
    "gn": "Geographical names",
    "au": "Administrative units",
    "ad": "Addresses",
    "cp": "Cadastral parcels",
    "tn": "Transport networks",
    "hy": "Hydrography",
    "ps": "Protected sites",
    "el": "Elevation",
    "lc": "Land cover",
    "oi": "Orthoimagery",
    "ge": "Geology",
    "su": "Statistical units",
    "bu": "Buildings",
    "so": "Soil",
    "lu": "Land use",
    "hh": "Human health and safety",
    "us": "Utility and governmental services",
    "ef": "Environmental monitoring facilities",
    "pf": "Production and industrial facilities",
    "af": "Agricultural and aquaculture facilities",
    "pd": "Population distribution — demography",
    "am": "Area management/restriction/regulation zones and reporting units",
    "nz": "Natural risk zones",
    "ac": "Atmospheric conditions",
    "mf": "Meteorological geographical features",
    "of": "Oceanographic geographical features",
    "sr": "Sea regions",
    "br": "Bio-geographical regions",
    "hb": "Habitats and biotopes",
    "sd": "Species distribution",
    "er": "Energy resources",
    "mr": "Mineral resources",
}
_ADDRESS = re.compile(
    r"https?://(?:inspire\.ec\.europa\.eu/theme/(?P<register>[a-z]{2})"
    r"|(?:www\.)?eionet\.europa\.eu/gemet/(?:[a-z-]+/)?inspire-theme/(?P<gemet>[a-z]{2})"
    r"|rdfdata\.eionet\.europa\.eu/inspirethemes/themes/(?P<number>\d{1,2}))/?",
    re.IGNORECASE,
)


def theme_of_address(url: str) -> str:
    """Return the label of the theme that an address of INSPIRE's or GEMET's register names."""
    match = _ADDRESS.fullmatch(url.strip())
    if not match:
        return ""
    if match["number"]:
        return dict(enumerate(THEMES.values(), 1)).get(int(match["number"]), "")
    return THEMES.get((match["register"] or match["gemet"]).lower(), "")


def theme_of_label(text: str) -> str:
    """Return the theme's label as the register has it, given it in any case and with any dash."""
    return _BY_LABEL.get(_plain(text), "")


def _plain(label: str) -> str:
    """Letters and digits alone: dashes and the blanks around them differ."""
    return re.sub(r"[\W_]+", "", label).casefold()


_BY_LABEL = {_plain(label): label for label in THEMES.values()}
