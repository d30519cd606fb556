"""UK GEMINI 2.3, elements 25 and 26: conditions of access and use."""

from __future__ import annotations

from ckanext.ukharvest.core.records import DatasetRecord
from tests.parsers.gemini.elements import ADDRESS, Element, code

OGL = "Open Government Licence v3.0"
CC_BY = "CC BY 4.0"


def _block(codes: str, inside: str = "{}", name: str = "MD_LegalConstraints") -> str:
    code_elements = "".join(
        f'<gmd:{each}><gmd:MD_RestrictionCode codeListValue="otherRestrictions"/></gmd:{each}>'
        for each in codes.split()
    )
    return (
        f"<gmd:resourceConstraints><gmd:{name}>{code_elements}{inside}</gmd:{name}>"
        "</gmd:resourceConstraints>"
    )


def _licence(record: DatasetRecord) -> str:
    return record.licence.id if record.licence else ""


ELEMENTS = (
    Element(
        "25 limitations on public access",
        "otherConstraints",
        "access_constraints[]",
        both=["Rivers", "Lakes"],
        around=_block("accessConstraints"),
    ),
    Element(
        "25 limitations on public access, restriction",
        "accessConstraints",
        "access-restrictions[]",
        values=("copyright", "license"),
        both=["copyright", "license"],
        around=_block(""),
        own=code("MD_RestrictionCode"),
    ),
    Element(
        "26 use constraints",
        "otherConstraints",
        lambda record: record.extras.get("licence", ""),
        both="Rivers; Lakes",
        around=_block("useConstraints"),
    ),
    Element(
        "26 use constraints, address",
        "otherConstraints",
        "licence_url",
        values=("https://council.example/terms", "https://council.example/more"),
        around=_block("useConstraints"),
        anchored=ADDRESS,
    ),
    Element(
        "26 use constraints, restriction",
        "useConstraints",
        "use-restrictions[]",
        values=("license", "copyright"),
        both=["license", "copyright"],
        around=_block(""),
        own=code("MD_RestrictionCode"),
    ),
    *(
        Element(
            f"26 licence, {name}", prop, _licence, values=(OGL, CC_BY), one="uk-ogl", around=around
        )
        for name, prop, around in (
            ("beside useConstraints", "gmd:otherConstraints", _block("useConstraints")),
            ("beside accessConstraints", "gmd:otherConstraints", _block("accessConstraints")),
            ("beside neither", "gmd:otherConstraints", _block("")),
            (
                "beside both",
                "gmd:otherConstraints",
                _block("accessConstraints useConstraints"),
            ),
            (
                "as a limitation, as 2.1 has it",
                "gmd:useLimitation",
                _block("", name="MD_Constraints"),
            ),
            ("as a limitation in a legal block", "gmd:useLimitation", _block("")),
        )
    ),
)
