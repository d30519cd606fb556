"""Source types for the template of the source form, and for the help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.source_types.source_type import URL_HINT
from ckanext.ukharvest.web.pages.option_fields import (
    COMMON,
    Field,
    Form,
    Options,
    build_fields,
    shown_options,
)

Errors = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Type:
    """A source type in the form; its texts are those of ``SourceType``, translated.

    Attributes:
        ours: its options have fields.
    """

    name: str
    label: str
    line: str
    hint: str
    example: str = ""
    docs_url: str = ""
    template: str = ""
    group: str = "others"
    ours: bool = False
    fields: Sequence[Field] = ()


class _Grouped(Protocol):
    @property
    def group(self) -> str: ...


_G = TypeVar("_G", bound=_Grouped)


def groups(types: Iterable[_G]) -> Iterator[tuple[str, list[_G]]]:
    """Yield pairs of a group's title and its types, without empty groups."""
    types = list(types)
    for key, title in source_types.GROUPS.items():
        if members := [kind for kind in types if kind.group == key]:
            yield tk._(title), members


def all_types(form: Form, options: Options, errors: Errors, *, sysadmin: bool) -> list[Type]:
    """Return the types of this portal's plugins, those of other extensions last.

    Args:
        form: the sent form; an empty one shows the options.
        options: options of the source to edit.
        errors: field name → messages.
        sysadmin: whether to include options that only sysadmins may set.
    """
    ours = config.our_type_names()
    own = [
        build_type(kind.name, form, options, errors, sysadmin=sysadmin)
        for kind in source_types.in_form_order()
        if kind.name in ours
    ]
    return [*own, *(_other(info) for name, info in _infos().items() if name not in ours)]


def build_type(name: str, form: Form, options: Options, errors: Errors, *, sysadmin: bool) -> Type:
    """Return one type with the fields of its options."""
    kind = source_types.find(name)
    if kind is None:
        return _other(_infos().get(name, {"name": name}))
    shown = [option for option in shown_options(kind, sysadmin=sysadmin) if option.part != COMMON]
    return Type(
        kind.name,
        tk._(kind.title),
        tk._(kind.line),
        tk._(kind.url_hint),
        example=kind.url_example,
        docs_url=kind.docs_url,
        template=kind.template,
        group=kind.group,
        ours=True,
        fields=build_fields(shown, form, options, errors, tk._),
    )


def _infos() -> dict[str, Mapping[str, str]]:
    return {info["name"]: info for info in tk.h.harvesters_info()}


def _other(info: Mapping[str, str]) -> Type:
    title, line = info.get("title") or info["name"], info.get("description")
    return Type(info["name"], tk._(title), tk._(line) if line else "", tk._(URL_HINT))


def common_fields(
    form: Form, options: Options, errors: Errors, *, sysadmin: bool
) -> Sequence[Field]:
    """Return the fields of the options that all our types have."""
    every = shown_options(source_types.CKAN, sysadmin=sysadmin)
    shown = [option for option in every if option.part == COMMON]
    return build_fields(shown, form, options, errors, tk._)
