"""UK GEMINI 2.3, elements 25 and 26: conditions of access and use."""

from __future__ import annotations

from ckanext.ukharvest.core.records import DatasetRecord
from tests.parsers.gemini.elements import ADDRESS, Element, code, extra, json_extra

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
        "gmd:otherConstraints",
        "identification",
        json_extra("access_constraints"),
        one=["Rivers"],
        both=["Rivers", "Lakes"],
        none=[],
        around=_block("accessConstraints"),
    ),
    Element(
        "25 limitations on public access, restriction",
        "gmd:accessConstraints",
        "identification",
        json_extra("access-restrictions"),
        one=["copyright"],
        both=["copyright", "license"],
        none=[],
        around=_block(""),
        own=code("MD_RestrictionCode"),
        values=("copyright", "license"),
    ),
    Element(
        "26 use constraints",
        "gmd:otherConstraints",
        "identification",
        extra("licence"),
        one="Rivers",
        both="Rivers; Lakes",
        around=_block("useConstraints"),
    ),
    Element(
        "26 use constraints, address",
        "gmd:otherConstraints",
        "identification",
        extra("licence_url"),
        one="https://council.example/terms",
        both="https://council.example/terms",
        around=_block("useConstraints"),
        values=("https://council.example/terms", "https://council.example/more"),
        anchored=ADDRESS,
    ),
    Element(
        "26 use constraints, restriction",
        "gmd:useConstraints",
        "identification",
        json_extra("use-restrictions"),
        one=["license"],
        both=["license", "copyright"],
        none=[],
        around=_block(""),
        own=code("MD_RestrictionCode"),
        values=("license", "copyright"),
    ),
    *(
        Element(
            f"26 licence, {name}",
            prop,
            "identification",
            _licence,
            one="uk-ogl",
            both="uk-ogl",
            around=around,
            values=(OGL, CC_BY),
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
