"""Results of checks of data as text."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.harvest.sources import source_status
from ckanext.ukharvest.notifications import mails
from ckanext.ukharvest.notifications import model as notification_model
from tests.ckan.data_checks.checked_data import (
    assert_three_faults,
    harvest,
    make,
    page_of,
)
from tests.ckan.harvesting import act
from tests.ckan.links.place import Place, work
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_results_of_an_earlier_version_are_shown_as_before(
    data: Publisher, app: CKANTestApp
) -> None:
    resource = make(data)
    work()
    model.Session.execute(
        sa.text("UPDATE ukharvest_data_check SET report = report::jsonb - 'sample' - 'columns'")
    )
    model.Session.commit()
    assert_three_faults(app, resource)
    assert not page_of(app, resource).xpath(".//h3")


def test_the_weekly_mail_has_a_line(place: Place, data: Publisher) -> None:
    harvest(place, "/parks.csv")
    work()
    act("ukharvest_mail_update", source_id=place.source, addresses=["a@b.example"], weekly="needed")
    (told,) = notification_model.sources()
    states = source_status.load_statuses([place.source])
    notes = mails.notes_of([place.source])
    letter = mails.compose_weekly([(told, states[place.source])], notes)
    assert "1 file does not follow its schema" in str(letter.lines)
    assert "schema" not in str(mails.compose_weekly([(told, states[place.source])], {}).lines)
