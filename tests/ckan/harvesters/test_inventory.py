"""An inventory on a portal: DataShare's daily changes cause no imports, and ids stay."""

from __future__ import annotations

from tests.ckan.harvesting import Portal, figures
from tests.publisher import Publisher

PATH = "/inventory.xml"


def inventory(day: str) -> str:
    datasets = "".join(
        f"""
    <Dataset Modified="2026-05-01" Active="Yes">
      <Identifier>payments/over-{amount}</Identifier>
      <Title>Payments over {amount}</Title>
      <Description>What was paid.</Description>
      <Resources><Resource Type="Data">
        <Identifier>payments/over-{amount}/may</Identifier>
        <Title>May</Title>
        <Renditions>
          <Rendition>
            <Identifier>http://data.example/download/{amount}/CSV?version={day}</Identifier>
            <MimeType>text/csv</MimeType>
          </Rendition>
          <Rendition>
            <Identifier>http://data.example/api/{amount}?format=JSON&amp;version={day}</Identifier>
            <MimeType>application/json</MimeType>
          </Rendition>
        </Renditions>
      </Resource></Resources>
    </Dataset>"""
        for amount in (100, 500)
    )
    return f"""<?xml version="1.0" encoding="utf-8"?>
<Inventory xmlns="http://schemas.esd.org.uk/inventory" Modified="2026-05-01">
  <Identifier>http://data.example/</Identifier>
  <Datasets>{datasets}
  </Datasets>
</Inventory>"""


def test_addresses_that_end_in_todays_date_are_no_change(
    portal: Portal, publisher: Publisher
) -> None:
    publisher.serve(PATH, inventory("21/11/2026"))
    source = portal.source(publisher.url(PATH), "inventory", config={"validation": "lenient"})
    assert figures(portal.run(source)) == {"added": 2}
    before = {r["id"]: r["url"] for each in portal.datasets() for r in each["resources"]}
    publisher.serve(PATH, inventory("22/11/2026"))
    assert figures(portal.run(source)) == {"not modified": 2}
    # A real change brings the new URLs, under the old ids.
    publisher.serve(PATH, inventory("2026-11-23").replace("was paid", "was spent"))
    assert figures(portal.run(source)) == {"updated": 2}
    after = {r["id"]: r["url"] for each in portal.datasets() for r in each["resources"]}
    assert after.keys() == before.keys()
    assert all("23" in url for url in after.values())
