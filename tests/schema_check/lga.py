"""Twenty schemas and files like those of the LGA, made for these tests.

They have the names, columns, types and oddities of the real ones (UTF-16 without a byte order mark,
booleans as text, patterns with an empty branch, the unknown type URI, invalid JSON). Imports
nothing of ours: ``record_frictionless.py`` runs without it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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

    @classmethod
    def of(
        cls,
        schema: str,
        rows: tuple[str, ...],
        found: str = "",
        *,
        header: str = "",
        patterns: Mapping[str, str] | None = None,
        **more: Any,
    ) -> Case:
        """Return a case.

        Args:
            schema: its name and columns; ``Salary:float!`` is a required float, no type a string.
            rows: the file's rows below the header.
            found: "row code column" of each error, separated by "; ".
            header: the file's header, if that is not the names of the columns.
            patterns: column → pattern.
        """
        name, *words = schema.split()
        columns = []
        for word in words:
            column, _, kind = word.rstrip("!").partition(":")
            flag, pattern = "R" if word.endswith("!") else "", (patterns or {}).get(column, "")
            columns.append((column, kind or "string", flag, pattern))
        header = header or ",".join(column for column, *_ in columns)
        errors = (error.split(" ") for error in found.split("; ") if found)
        places = tuple((int(row), "".join(column), code) for row, code, *column in errors)
        return cls(name, tuple(columns), (header, *rows), places, **more)

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


_BODY = "http://opendatacommunities.org/id/london-borough-council/camden"
_SPEND = "Spend OrganisationURI:URI! EffectiveDate:date SupplierName! Amount:float! VatNumber"
_VAT = {"VatNumber": r"(^$)|(^GB[0-9]{9}$)"}

CASES = (
    Case.of(
        _SPEND,
        (f"{_BODY},2026-05-31,Acme Ltd,1200.50,GB123456789", f"{_BODY},,Acme Ltd,-5,"),
        patterns=_VAT,
    ),
    Case.of(
        _SPEND,
        (
            f"{_BODY},2026-05-31,Acme Ltd,£1200,",
            f"{_BODY},31/05/2026,Acme Ltd,12,",
            f"{_BODY},2026-05-31,,12,",
            "camden,2026-05-31,Acme Ltd,12,123",
        ),
        "2 type Amount; 3 type EffectiveDate; 4 required SupplierName; 5 type OrganisationURI;"
        " 5 pattern VatNumber",
        patterns=_VAT,
    ),
    Case.of(
        "Contracts ReferenceNumber! ContractTitle! StartDate! ContractValue:float SMESupplier"
        " URL:anyURI",
        (
            'C1,"Roads, repair",01/04/2026,250000,Yes,https://example.gov.uk/c1',
            "C2,Lighting,2026-04-01,,No,",
            "C3,Parks,01/13/2026,a lot,Maybe,www.example.gov.uk",
        ),
        "3 pattern StartDate; 4 pattern StartDate; 4 type ContractValue; 4 pattern SMESupplier;"
        " 4 type URL",
        patterns={"StartDate": UK_DATE, "SMESupplier": r"(^$)|(^(Yes|No)$)"},
    ),
    Case.of(
        "LandAssets UPRN! NameOfProperty PostCode GeoX:float! GeoY:float! TenureType",
        (
            "10001234567,Town Hall,LS1 1UR,430000,434000,Freehold",
            "x1,Depot,LS11UR,430000,434000,Leasehold",
            "10001234568,Library,,,434000,Rent",
        ),
        "3 pattern UPRN; 3 pattern PostCode; 4 required GeoX; 4 pattern TenureType",
        patterns={
            "UPRN": r"^[0-9]{1,12}$",
            "PostCode": POSTCODE,
            "TenureType": r"^(Freehold|Leasehold)?$",
        },
    ),
    Case.of(
        "OrganisationStructure PostUniqueReference! Name Grade! ReportsToSeniorPost FTE:float",
        ("1,A. Head,SMT,,1", "2,B. Second,,1,0.5", "3,C. Third,PO1,1,full"),
        "3 required Grade; 4 type FTE",
    ),
    Case.of(
        "PayMultiples OrganisationLabel! Multiple:float!",
        ("Leeds,7.2", "York,7:1"),
        "3 type Multiple",
    ),
    Case.of(
        "SeniorEmployees JobTitle! Salary:nonNegativeInteger! BonusPaid",
        ("Director,95000,", 'Head,"85,000",0', "Lead,-1,none"),
        "3 type Salary; 4 type Salary; 4 pattern BonusPaid",
        patterns={"BonusPaid": r"(^$)|(^[0-9]+$)"},
    ),
    Case.of(
        "SeniorSalaryCount BracketFrom:nonNegativeInteger! BracketTo:nonNegativeInteger!"
        " Count:nonNegativeInteger!",
        ("50000,54999,12", "55000,59999,", "60000,64999,2.5"),
        "3 required Count; 4 type Count",
    ),
    Case.of(
        "TradeUnion UnionName! Representatives:int! FullTimeEquivalents:float",
        ("Unison,12,3.5", "GMB,twelve,"),
        "3 type Representatives",
    ),
    Case.of(
        "Fraud PeriodStart:date! Investigations:nonNegativeInteger! AmountRecovered:float",
        ("2025-04-01,31,1250.00", "2025-4-1,2,", "2026-04-01,,n/a"),
        "3 type PeriodStart; 4 required Investigations; 4 type AmountRecovered",
    ),
    Case.of(
        "ElectionResults ElectionDate:date! Ward! CandidateName! Votes:nonNegativeInteger!"
        " Elected:boolean!",
        (
            "2026-05-07,North,A. Name,1204,true",
            "2026-05-07,North,B. Name,900,no",
            "2026-05-07,North,,850,false",
        ),
        "3 type Elected; 4 required CandidateName",
    ),
    Case.of(
        "ServiceDirectory ServiceName! Website:anyURI Telephone PostCode",
        (
            "Youth club,https://example.org,0113 496 0000,LS1 1UR",
            "Food bank,example.org,ask inside,ls1 1ur",
        ),
        "3 type Website; 3 pattern Telephone; 3 pattern PostCode",
        patterns={"Telephone": r"(^$)|(^[0-9 +()]+$)", "PostCode": POSTCODE},
    ),
    Case.of(
        "PlanningApplications CaseReference! CaseDate:date! GeoX:float! Decision",
        ("26/001,2026-05-01,430000.5,Approved", ",2026-05-02,430000,", "26/003,,east,"),
        "3 required CaseReference; 4 required CaseDate; 4 type GeoX",
        codec="utf-8",
        text_flags=True,
    ),
    Case.of(
        "PremisesLicences LicenceNumber! PremisesName! SaleOfAlcohol:boolean LicenceStart:date",
        ("L1,The Bell,true,2020-01-01", "L2,,1,", "L3,The Crown,Y,01-01-2020"),
        "3 required PremisesName; 4 type SaleOfAlcohol; 4 type LicenceStart",
        codec="utf-8",
        text_flags=True,
    ),
    # An empty value does not match a pattern without an empty branch.
    Case.of(
        "PublicToilets Name! PostCode AccessibleCategory ChargeAmount:float",
        ("Market Street,LS1 1UR,Yes,0.20", "Park,,,20p"),
        "3 pattern AccessibleCategory; 3 type ChargeAmount",
        patterns={"PostCode": POSTCODE, "AccessibleCategory": YES_NO},
        codec="utf-8",
    ),
    Case.of(
        "Parking CarParkName! Spaces:nonNegativeInteger! Year:gYear",
        ("Central,120,2026", "North,12O,26"),
        "3 type Spaces; 3 type Year",
    ),
    Case.of(
        "GritBins Location! GeoX:float! GeoY:float!",
        ("High Street,430000,434000", "Hill,430000"),
        "3 ragged-row",
    ),
    Case.of(
        "Allotments Site! Plots:int Updated:dateTime",
        ("East,12,2026-05-31T09:00:00Z", "", "West,ten,31 May 2026"),
        "3 blank-row; 4 type Plots; 4 type Updated",
    ),
    Case.of(
        "FoodHygiene Business! Rating:int",
        ("Cafe,5", "Bakery,7", '"Grill "" Bar",'),
        "3 pattern Rating",
        patterns={"Rating": r"^[0-5]?$"},
    ),
    Case.of(
        "BusinessRates Reference! RateableValue:float",
        ("R1,1000", "R2,1k"),
        "3 type RateableValue",
        header="Reference,Rateable Value",
    ),
    Case.of(
        "Councillors Name! Ward! Email",
        ("A. Name,a@example.gov.uk", "B. Name,b at example"),
        "1 missing-label Ward; 3 pattern Email",
        header="Name,Email",
        patterns={"Email": r"@"},
    ),
)
