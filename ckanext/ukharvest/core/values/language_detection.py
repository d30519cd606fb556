"""Detect the language of a text with the optional package py3langid (extra ``language``)."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import Any

from ckanext.ukharvest.core.values.languages import language_code

log = logging.getLogger(__name__)

SHORTEST = 60  # characters; shorter texts are names and codes, and guesses about them are wrong
LONGEST = 500  # characters that are read: time grows with them, certainty does not
LEAST_CONFIDENCE = 0.9


def detect_language(text: str) -> tuple[str, float] | None:
    """Return the code of a text's language and the confidence, from 0.9 to 1.

    None if the package is not installed, the text is short, or the guess is not sure. Never raises.
    """
    if len(text) < SHORTEST:
        return None
    identifier = _identifier()
    if identifier is None:
        return None
    try:
        label, confidence = identifier.classify(text[:LONGEST])
    except Exception:
        log.exception("The language of a text could not be detected")
        return None
    code = language_code(str(label))
    # "zxx" is py3langid's label for no language.
    if len(code) != 2 or confidence < LEAST_CONFIDENCE:
        return None
    return code, round(float(confidence), 2)


@lru_cache(maxsize=1)
def _identifier() -> Any:
    """Load the model once per process; None if that is not possible."""
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError:
        return None
    try:
        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    except Exception:
        log.exception("The model of py3langid could not be loaded; no languages are detected")
        return None
