"""Texts about kinds of problems in the reader's language."""

from __future__ import annotations

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.presentation.rendering import problem_texts
from ckanext.ukharvest.presentation.rendering.problem_texts import ProblemTexts


def describe_problem(code: str, consequence: str, field: str = "") -> ProblemTexts:
    """Return ``problem_texts.describe_problem`` in the language of the request."""
    return problem_texts.describe_problem(code, consequence, field, translate=tk._)
