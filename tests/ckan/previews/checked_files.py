"""Files for checks of data."""

from __future__ import annotations

import json

from tests.publisher import SOURCES

INVENTORY = (SOURCES / "inventory-0.3" / "inventory.xml").read_bytes()
TABLE_SCHEMA = json.dumps(
    {
        "fields": [
            {"name": "Supplier", "type": "string", "constraints": {"required": True}},
            {"name": "Amount", "type": "number"},
            {"name": "Date", "type": "date"},
        ]
    }
)
TABLE = "Supplier,Amount,Date\nA,1,2026-05-31\nB,£2,2026-05-31\n,3,2026-05-31\nD,4,31/05/2026\n"
