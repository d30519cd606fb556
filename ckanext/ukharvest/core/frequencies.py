"""How often data is renewed: one spelling for the words of POD, ISO 19115, the EU and people."""

from __future__ import annotations

import re

from ckanext.ukharvest.core.text import shorten

# ISO 8601 repeating intervals as Project Open Data lists them (iso8601_guidance, "Accrual
# Periodicity"), with the English label shown for each.
FREQUENCY_LABELS = {
    "R/PT1S": "Continuously updated",
    "R/PT1M": "Every minute",
    "R/PT1H": "Hourly",
    "R/PT12H": "Twice a day",
    "R/P1D": "Daily",
    "R/P3.5D": "Twice a week",
    "R/P0.33W": "Three times a week",
    "R/P1W": "Weekly",
    "R/P0.33M": "Three times a month",
    "R/P0.5M": "Twice a month",
    "R/P2W": "Fortnightly",
    "R/P1M": "Monthly",
    "R/P2M": "Every two months",
    "R/P3M": "Quarterly",
    "R/P4M": "Three times a year",
    "R/P6M": "Twice a year",
    "R/P1Y": "Annually",
    "R/P2Y": "Every two years",
    "R/P3Y": "Every three years",
    "R/P4Y": "Every four years",
    "R/P5Y": "Every five years",
    "R/P10Y": "Every ten years",
    "irregular": "Irregular",
    "never": "Never",
}

# Other writings of the same interval; POD itself lists R/P0.5W for "biweekly" beside R/P2W.
_SAME = {"P12M": "P1Y", "P7D": "P1W", "P14D": "P2W", "P24H": "P1D", "PT24H": "P1D", "P365D": "P1Y"}

# Words without case, blanks and punctuation. They come from POD, ISO 19115 MD_Maintenance-
# FrequencyCode, the EU frequency authority table, dct:accrualPeriodicity of the Dublin Core
# collection terms, and what councils type.
_WORDS = {
    "R/PT1S": "continual continuous continuously continuouslyupdated updatecont realtime live cont",
    "R/PT1M": "everyminute 1min",
    "R/PT1H": "hourly everyhour",
    "R/PT12H": "twiceaday twicedaily dailyx2 daily2",
    "R/P1D": "daily everyday day workingdays weekdays",
    "R/P3.5D": "semiweekly twiceaweek twiceweekly weekly2 semiweek",
    "R/P0.33W": "threetimesaweek weekly3",
    "R/P1W": "weekly everyweek week onceaweek",
    "R/P0.33M": "threetimesamonth monthly3",
    "R/P0.5M": "semimonthly twiceamonth monthly2 twicemonthly",
    "R/P2W": "fortnightly biweekly everytwoweeks every2weeks everyfortnight everyotherweek",
    "R/P1M": "monthly everymonth month onceamonth",
    "R/P2M": "bimonthly everytwomonths every2months",
    "R/P3M": "quarterly everyquarter quarter everythreemonths every3months",
    "R/P4M": "threetimesayear annual3",
    "R/P6M": "semiannual semiannually biannual biannually halfyearly sixmonthly twiceayear "
    "everysixmonths every6months twiceyearly annual2 everyhalfyear",
    "R/P1Y": "annual annually yearly everyyear year onceayear",
    "R/P2Y": "biennial biennially everytwoyears every2years",
    "R/P3Y": "triennial triennially everythreeyears every3years",
    "R/P4Y": "quadrennial everyfouryears every4years",
    "R/P5Y": "quinquennial everyfiveyears every5years",
    "R/P10Y": "decennial everytenyears every10years",
    "irregular": "irregular irregularly asneeded asrequired adhoc asandwhen other occasional "
    "whenneeded whenrequired",
    "never": "never notplanned discontinued none noupdates notupdated static oneoff once",
}
_BY_WORD = {word: code for code, words in _WORDS.items() for word in words.split()}
_UNKNOWN = frozenset(("unknown", "notknown", "notspecified", "na", "null"))

_NUMBER = r"\d+(?:[.,]\d+)?"
_INTERVAL = re.compile(
    r"(?:R\d*/)?(?:[^/]*\d[^/]*/)?"
    rf"(P(?=.)(?:{_NUMBER}Y)?(?:{_NUMBER}M)?(?:{_NUMBER}W)?(?:{_NUMBER}D)?"
    rf"(?:T(?=.)(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?)",
    re.IGNORECASE,
)
_UNITS = {"Y": "year", "M": "month", "W": "week", "D": "day"}


def parse_frequency(value: str) -> str:
    """Return ``R/P…`` (an ISO 8601 repeating interval), ``irregular`` or ``never``.

    Read are intervals with or without ``R/``, a count or a start; the codes of ISO 19115 and of
    Dublin Core; EU authority URIs; plain words ("Every month"). A source that says that it does
    not know ("unknown") gives "".

    Raises:
        ValueError: nothing of these.
    """
    text = " ".join(value.split())
    if len(text) <= 100 and (match := _INTERVAL.fullmatch(text)):
        duration = match.group(1).upper().replace(",", ".")
        return "R/" + _SAME.get(duration, duration)
    word = re.split(r"[/#]", text.rstrip("/"))[-1] if "://" in text else text
    word = re.sub(r"[\W_]+", "", word).lower()
    word = re.sub(r"^(?:updated|update)|(?:updates|basis)$", "", word) or word
    if word in _UNKNOWN:
        return ""
    if word in _BY_WORD:
        return _BY_WORD[word]
    raise ValueError(
        f"'{shorten(text, 40)}' is no known frequency; "
        "expected an interval such as R/P1Y or a word such as monthly or irregular"
    )


def frequency_label(value: str) -> str:
    """Return the English label of what parse_frequency gave; other text as it is."""
    if value in FREQUENCY_LABELS:
        return FREQUENCY_LABELS[value]
    match = re.fullmatch(r"R/P(\d+)([YMWD])", value)
    return f"Every {match[1]} {_UNITS[match[2]]}s" if match else value
