"""Twenty schemas and files like those of the LGA, made for these tests.

They have the names, columns, types and oddities of the real ones (UTF-16 without a byte order mark,
booleans as text, patterns with an empty branch, the unknown type URI, invalid JSON). Imports
nothing of ours: ``record_frictionless.py`` runs without it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

XSD = "http://www.w3.org/2001/XMLSchema#"
POSTCODE = r"(^$)|(^[A-Z]{1,2}[0-9][0-9A-Z]? [0-9][A-Z]{2}$)"
UK_DATE = r"(^$)|(^(0[1-9]|[12][0-9]|3[01])/(0[1-9]|1[0-2])/[0-9]{4}$)"
YES_NO = r"^(Yes|No)$"

# Types of XML Schema → type and format of Table Schema.
_TYPES = {
    "string": ("string", "default"),
    "float": ("number", "default"),
    "int": ("integer", "default"),
    "nonNegativeInteger": ("integer", "default"),
    "date": ("date", "default"),
    "dateTime": ("datetime", "default"),
    "anyURI": ("string", "uri"),
    "URI": ("string", "uri"),
    "boolean": ("boolean", "default"),
    "gYear": ("year", "default"),
}


@dataclass(frozen=True)
class Case:
    """A schema, a file, and what is wrong with the file.

    Attributes:
        name: of the schema.
        columns: name, type of XML Schema ("" for none), "R" if required, and a pattern.
        rows: the file's rows, header first.
        found: row, column and code of each error, by csvlint's rules.
        codec: encoding of the schema.
        text_flags: booleans are texts.
    """

    name: str
    columns: tuple[tuple[str, str, str, str], ...]
    rows: tuple[str, ...]
    found: tuple[tuple[int, str, str], ...] = ()
    codec: str = "utf-16-le"
    text_flags: bool = False

    def csvlint(self) -> bytes:
        """Return the schema as the LGA writes it."""
        fields = []
        for name, kind, flag, pattern in self.columns:
            required: Any = flag == "R"
            constraints: dict[str, Any] = {
                "required": str(required).lower() if self.text_flags else required
            }
            if kind:
                constraints["type"] = XSD + kind
            if pattern:
                constraints["pattern"] = pattern
            fields.append({"name": name, "title": name, "constraints": constraints})
        return json.dumps({"fields": fields}, indent=1).encode(self.codec)

    def table_schema(self) -> dict[str, Any]:
        """Return the same rules as a Table Schema, for frictionless."""
        fields = []
        for name, kind, flag, pattern in self.columns:
            type_, format_ = _TYPES[kind or "string"]
            constraints: dict[str, Any] = {"required": flag == "R"}
            if pattern and type_ == "string":
                constraints["pattern"] = pattern
            if kind == "nonNegativeInteger":
                constraints["minimum"] = 0
            field = {"name": name, "type": type_, "format": format_, "constraints": constraints}
            fields.append(field)
        return {"fields": fields}

    def data(self) -> bytes:
        return ("\n".join(self.rows) + "\n").encode("utf-8")


def _spend(*rows: str, found: tuple[tuple[int, str, str], ...] = ()) -> Case:
    columns = (
        ("OrganisationURI", "URI", "R", ""),
        ("EffectiveDate", "date", "", ""),
        ("SupplierName", "string", "R", ""),
        ("Amount", "float", "R", ""),
        ("VatNumber", "string", "", r"(^$)|(^GB[0-9]{9}$)"),
    )
    header = "OrganisationURI,EffectiveDate,SupplierName,Amount,VatNumber"
    return Case("Spend", columns, (header, *rows), found)


_BODY = "http://opendatacommunities.org/id/london-borough-council/camden"

CASES = (
    _spend(f"{_BODY},2026-05-31,Acme Ltd,1200.50,GB123456789", f"{_BODY},,Acme Ltd,-5,"),
    _spend(
        f"{_BODY},2026-05-31,Acme Ltd,£1200,",
        f"{_BODY},31/05/2026,Acme Ltd,12,",
        f"{_BODY},2026-05-31,,12,",
        "camden,2026-05-31,Acme Ltd,12,123",
        found=(
            (2, "Amount", "type"),
            (3, "EffectiveDate", "type"),
            (4, "SupplierName", "required"),
            (5, "OrganisationURI", "type"),
            (5, "VatNumber", "pattern"),
        ),
    ),
    Case(
        "Contracts",
        (
            ("ReferenceNumber", "string", "R", ""),
            ("ContractTitle", "string", "R", ""),
            ("StartDate", "string", "R", UK_DATE),
            ("ContractValue", "float", "", ""),
            ("SMESupplier", "string", "", r"(^$)|(^(Yes|No)$)"),
            ("URL", "anyURI", "", ""),
        ),
        (
            "ReferenceNumber,ContractTitle,StartDate,ContractValue,SMESupplier,URL",
            'C1,"Roads, repair",01/04/2026,250000,Yes,https://example.gov.uk/c1',
            "C2,Lighting,2026-04-01,,No,",
            "C3,Parks,01/13/2026,a lot,Maybe,www.example.gov.uk",
        ),
        (
            (3, "StartDate", "pattern"),
            (4, "StartDate", "pattern"),
            (4, "ContractValue", "type"),
            (4, "SMESupplier", "pattern"),
            (4, "URL", "type"),
        ),
    ),
    Case(
        "LandAssets",
        (
            ("UPRN", "string", "R", r"^[0-9]{1,12}$"),
            ("NameOfProperty", "string", "", ""),
            ("PostCode", "string", "", POSTCODE),
            ("GeoX", "float", "R", ""),
            ("GeoY", "float", "R", ""),
            ("TenureType", "string", "", r"^(Freehold|Leasehold)?$"),
        ),
        (
            "UPRN,NameOfProperty,PostCode,GeoX,GeoY,TenureType",
            "10001234567,Town Hall,LS1 1UR,430000,434000,Freehold",
            "x1,Depot,LS11UR,430000,434000,Leasehold",
            "10001234568,Library,,,434000,Rent",
        ),
        (
            (3, "UPRN", "pattern"),
            (3, "PostCode", "pattern"),
            (4, "GeoX", "required"),
            (4, "TenureType", "pattern"),
        ),
    ),
    Case(
        "OrganisationStructure",
        (
            ("PostUniqueReference", "string", "R", ""),
            ("Name", "string", "", ""),
            ("Grade", "string", "R", ""),
            ("ReportsToSeniorPost", "string", "", ""),
            ("FTE", "float", "", ""),
        ),
        (
            "PostUniqueReference,Name,Grade,ReportsToSeniorPost,FTE",
            "1,A. Head,SMT,,1",
            "2,B. Second,,1,0.5",
            "3,C. Third,PO1,1,full",
        ),
        ((3, "Grade", "required"), (4, "FTE", "type")),
    ),
    Case(
        "PayMultiples",
        (("OrganisationLabel", "string", "R", ""), ("Multiple", "float", "R", "")),
        ("OrganisationLabel,Multiple", "Leeds,7.2", "York,7:1"),
        ((3, "Multiple", "type"),),
    ),
    Case(
        "SeniorEmployees",
        (
            ("JobTitle", "string", "R", ""),
            ("Salary", "nonNegativeInteger", "R", ""),
            ("BonusPaid", "string", "", r"(^$)|(^[0-9]+$)"),
        ),
        ("JobTitle,Salary,BonusPaid", "Director,95000,", 'Head,"85,000",0', "Lead,-1,none"),
        ((3, "Salary", "type"), (4, "Salary", "type"), (4, "BonusPaid", "pattern")),
    ),
    Case(
        "SeniorSalaryCount",
        (
            ("BracketFrom", "nonNegativeInteger", "R", ""),
            ("BracketTo", "nonNegativeInteger", "R", ""),
            ("Count", "nonNegativeInteger", "R", ""),
        ),
        ("BracketFrom,BracketTo,Count", "50000,54999,12", "55000,59999,", "60000,64999,2.5"),
        ((3, "Count", "required"), (4, "Count", "type")),
    ),
    Case(
        "TradeUnion",
        (
            ("UnionName", "string", "R", ""),
            ("Representatives", "int", "R", ""),
            ("FullTimeEquivalents", "float", "", ""),
        ),
        ("UnionName,Representatives,FullTimeEquivalents", "Unison,12,3.5", "GMB,twelve,"),
        ((3, "Representatives", "type"),),
    ),
    Case(
        "Fraud",
        (
            ("PeriodStart", "date", "R", ""),
            ("Investigations", "nonNegativeInteger", "R", ""),
            ("AmountRecovered", "float", "", ""),
        ),
        (
            "PeriodStart,Investigations,AmountRecovered",
            "2025-04-01,31,1250.00",
            "2025-4-1,2,",
            "2026-04-01,,n/a",
        ),
        (
            (3, "PeriodStart", "type"),
            (4, "Investigations", "required"),
            (4, "AmountRecovered", "type"),
        ),
    ),
    Case(
        "ElectionResults",
        (
            ("ElectionDate", "date", "R", ""),
            ("Ward", "string", "R", ""),
            ("CandidateName", "string", "R", ""),
            ("Votes", "nonNegativeInteger", "R", ""),
            ("Elected", "boolean", "R", ""),
        ),
        (
            "ElectionDate,Ward,CandidateName,Votes,Elected",
            "2026-05-07,North,A. Name,1204,true",
            "2026-05-07,North,B. Name,900,no",
            "2026-05-07,North,,850,false",
        ),
        ((3, "Elected", "type"), (4, "CandidateName", "required")),
    ),
    Case(
        "ServiceDirectory",
        (
            ("ServiceName", "string", "R", ""),
            ("Website", "anyURI", "", ""),
            ("Telephone", "string", "", r"(^$)|(^[0-9 +()]+$)"),
            ("PostCode", "string", "", POSTCODE),
        ),
        (
            "ServiceName,Website,Telephone,PostCode",
            "Youth club,https://example.org,0113 496 0000,LS1 1UR",
            "Food bank,example.org,ask inside,ls1 1ur",
        ),
        ((3, "Website", "type"), (3, "Telephone", "pattern"), (3, "PostCode", "pattern")),
    ),
    Case(
        "PlanningApplications",
        (
            ("CaseReference", "string", "R", ""),
            ("CaseDate", "date", "R", ""),
            ("GeoX", "float", "R", ""),
            ("Decision", "string", "", ""),
        ),
        (
            "CaseReference,CaseDate,GeoX,Decision",
            "26/001,2026-05-01,430000.5,Approved",
            ",2026-05-02,430000,",
            "26/003,,east,",
        ),
        ((3, "CaseReference", "required"), (4, "CaseDate", "required"), (4, "GeoX", "type")),
        codec="utf-8",
        text_flags=True,
    ),
    Case(
        "PremisesLicences",
        (
            ("LicenceNumber", "string", "R", ""),
            ("PremisesName", "string", "R", ""),
            ("SaleOfAlcohol", "boolean", "", ""),
            ("LicenceStart", "date", "", ""),
        ),
        (
            "LicenceNumber,PremisesName,SaleOfAlcohol,LicenceStart",
            "L1,The Bell,true,2020-01-01",
            "L2,,1,",
            "L3,The Crown,Y,01-01-2020",
        ),
        (
            (3, "PremisesName", "required"),
            (4, "SaleOfAlcohol", "type"),
            (4, "LicenceStart", "type"),
        ),
        codec="utf-8",
        text_flags=True,
    ),
    Case(
        "PublicToilets",
        (
            ("Name", "string", "R", ""),
            ("PostCode", "string", "", POSTCODE),
            ("AccessibleCategory", "string", "", YES_NO),
            ("ChargeAmount", "float", "", ""),
        ),
        (
            "Name,PostCode,AccessibleCategory,ChargeAmount",
            "Market Street,LS1 1UR,Yes,0.20",
            "Park,,,20p",
        ),
        # An empty value does not match a pattern without an empty branch.
        ((3, "AccessibleCategory", "pattern"), (3, "ChargeAmount", "type")),
        codec="utf-8",
    ),
    Case(
        "Parking",
        (
            ("CarParkName", "string", "R", ""),
            ("Spaces", "nonNegativeInteger", "R", ""),
            ("Year", "gYear", "", ""),
        ),
        ("CarParkName,Spaces,Year", "Central,120,2026", "North,12O,26"),
        ((3, "Spaces", "type"), (3, "Year", "type")),
    ),
    Case(
        "GritBins",
        (("Location", "string", "R", ""), ("GeoX", "float", "R", ""), ("GeoY", "float", "R", "")),
        ("Location,GeoX,GeoY", "High Street,430000,434000", "Hill,430000"),
        ((3, "", "ragged-row"),),
    ),
    Case(
        "Allotments",
        (("Site", "string", "R", ""), ("Plots", "int", "", ""), ("Updated", "dateTime", "", "")),
        ("Site,Plots,Updated", "East,12,2026-05-31T09:00:00Z", "", "West,ten,31 May 2026"),
        ((3, "", "blank-row"), (4, "Plots", "type"), (4, "Updated", "type")),
    ),
    Case(
        "FoodHygiene",
        (("Business", "string", "R", ""), ("Rating", "int", "", r"^[0-5]?$")),
        ("Business,Rating", "Cafe,5", "Bakery,7", '"Grill "" Bar",'),
        ((3, "Rating", "pattern"),),
    ),
    Case(
        "BusinessRates",
        (("Reference", "string", "R", ""), ("RateableValue", "float", "", "")),
        ("Reference,Rateable Value", "R1,1000", "R2,1k"),
        ((3, "RateableValue", "type"),),
    ),
    Case(
        "Councillors",
        (("Name", "string", "R", ""), ("Ward", "string", "R", ""), ("Email", "string", "", "@")),
        ("Name,Email", "A. Name,a@example.gov.uk", "B. Name,b at example"),
        ((1, "Ward", "missing-label"), (3, "Email", "pattern")),
    ),
)
