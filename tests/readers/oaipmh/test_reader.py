"""A repository read list by list: tokens, errors, totals, and what they prove."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.errors import ProtocolError, SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.records import REPAIRED
from ckanext.ukharvest.readers.oaipmh.protocol import Refused
from ckanext.ukharvest.source_types.lists import OAIPMH
from tests.conftest import LOOPBACK, FakeTime
from tests.publisher import Publisher, Response
from tests.publishing.oaipmh import (
    XML,
    Arguments,
    Repository,
    deleted,
    error,
    numbered,
    oai_dc,
    resumption,
)
from tests.publishing.records import Item
from tests.readers.reads import Reads, guids

ALL = [f"id-{number}" for number in range(5)]
FIRST = {"metadataPrefix": "oai_dc"}


def tokens(*places: int) -> list[Arguments]:
    return [{"resumptionToken": f"-{place}"} for place in places]


def test_a_token_is_sent_alone_and_the_total_is_proven(reads: Reads) -> None:
    repository = Repository(numbered(5))
    found, ending = reads(repository)
    assert guids(found) == ALL
    assert (ending.complete, ending.reason, ending.changes_only) == (True, "", False)
    assert repository.lists == [FIRST, *tokens(2, 4)]
    assert reads.totals == [5]


def test_without_a_total_the_end_of_the_tokens_is_the_end(reads: Reads) -> None:
    found, ending = reads(Repository(numbered(5), has_totals=False))
    assert (guids(found), ending.complete) == (ALL, True)


@pytest.mark.parametrize("end", ["", resumption(""), resumption(" \n"), resumption("0")])
def test_a_list_ends_with_an_empty_token_or_none(reads: Reads, end: str) -> None:
    page = f"<ListRecords>{''.join(numbered(2))}{end}</ListRecords>"
    repository = Repository([], change=lambda given: page if "set" not in given else None)
    found, ending = reads(repository, {"metadata_prefix": "oai_dc"})
    assert (guids(found), ending.complete, len(repository.asked)) == (ALL[:2], True, 1)


def test_a_server_gets_arguments_beside_the_token_if_it_must(reads: Reads) -> None:
    def like_pycsw(given: Arguments) -> str | None:
        if given["verb"] == "ListRecords" and "metadataPrefix" not in given:
            return error("badArgument", "Missing metadataPrefix parameter")
        return None

    repository = Repository(numbered(5), change=like_pycsw)
    found, ending = reads(repository)
    assert (guids(found), ending.complete) == (ALL, True)
    with_all = [{**FIRST, **each} for each in tokens(2, 4)]
    assert repository.lists == [FIRST, *tokens(2), *with_all]


@pytest.mark.parametrize("has_totals", [True, False])
def test_an_expired_token_restarts_the_list_without_repeats(reads: Reads, has_totals: bool) -> None:
    expired = iter([error("badResumptionToken", "expired")] * 2)

    def change(given: Arguments) -> str | None:
        return next(expired, None) if given.get("resumptionToken") == "-4" else None

    repository = Repository(numbered(5), has_totals=has_totals, change=change)
    found, ending = reads(repository)
    assert (guids(found), ending.complete) == (ALL, True)
    assert repository.lists.count(FIRST) == 3
    assert reads.totals == ([5, 5, 5] if has_totals else [])


def test_a_token_that_expires_each_time_stops_the_run(reads: Reads) -> None:
    def change(given: Arguments) -> str | None:
        return error("badResumptionToken", "gone") if "resumptionToken" in given else None

    repository = Repository(numbered(5), change=change)
    with pytest.raises(Refused, match="refused the request: badResumptionToken: gone"):
        reads(repository)
    assert repository.lists.count(FIRST) == 3


def test_a_token_after_the_last_record_is_the_end(reads: Reads) -> None:
    def change(given: Arguments) -> str | None:
        if given.get("resumptionToken") == "more":
            return error("badResumptionToken")
        if given["verb"] != "ListRecords":
            return None
        more = resumption("more", ' completeListSize="2"')
        return f"<ListRecords>{''.join(numbered(2))}{more}</ListRecords>"

    found, ending = reads(Repository([], change=change))
    assert (guids(found), ending.complete) == (ALL[:2], True)


@pytest.mark.parametrize(
    ("inside", "reason"),
    [
        (error("noRecordsMatch"), "a page without new records, after 2 records"),
        ("<ListRecords/>", "a page without new records, after 2 records"),
        (
            f"<ListRecords>{oai_dc(Item(7))}{resumption('-2')}</ListRecords>",
            "gave the same resumptionToken again, after 3 records",
        ),
    ],
)
def test_an_end_in_doubt_proves_nothing(reads: Reads, inside: str, reason: str) -> None:
    def change(given: Arguments) -> str | None:
        return inside if "resumptionToken" in given else None

    _, ending = reads(Repository(numbered(5), has_totals=False, change=change))
    assert not ending.complete
    assert reason in ending.reason


def test_pages_without_anything_new_end(reads: Reads) -> None:
    number = iter(range(100))

    def change(given: Arguments) -> str | None:
        if given["verb"] != "ListRecords":
            return None
        token = resumption(f"t{next(number)}")
        return f"<ListRecords>{''.join(numbered(2))}{token}</ListRecords>"

    repository = Repository([], change=change)
    found, ending = reads(repository)
    assert (guids(found), ending.complete, len(repository.lists)) == (ALL[:2], False, 3)
    assert "answered a resumptionToken with a page without new records" in ending.reason


@pytest.mark.parametrize(("total", "is_complete"), [(1, False), (2, True), (3, True), (4, False)])
def test_a_total_may_leave_out_deleted_records(reads: Reads, total: int, is_complete: bool) -> None:
    inside = "".join([*numbered(2), deleted(8)])
    token = resumption("", f' completeListSize="{total}"')
    page = f"<ListRecords>{inside}{token}</ListRecords>"
    repository = Repository([], change=lambda _given: page)
    found, ending = reads(repository, {"metadata_prefix": "oai_dc"})
    assert [raw.deleted for raw in found] == [False, False, True]
    assert ending.complete is is_complete
    if not is_complete:
        words = {1: "announces 1 record and shows 3", 4: "announces 4 records and shows 3"}
        assert words[total] in ending.reason


@pytest.mark.parametrize("inside", [error("noRecordsMatch"), "<ListRecords/>"])
def test_an_empty_list_is_no_error_and_deletes_nothing(reads: Reads, inside: str) -> None:
    repository = Repository([], change=lambda _given: inside)
    found, ending = reads(repository, {"metadata_prefix": "oai_dc"})
    assert (found, ending.complete) == ([], False)
    assert "has no records; the list is empty, so nothing was deleted" in ending.reason


def test_each_set_is_one_list_and_a_record_in_two_comes_once(reads: Reads) -> None:
    records = numbered(5)
    repository = Repository([], {"a": records[:3], "b:c": records[2:]})
    found, ending = reads(repository, {"sets": ["a", "b:c", "a"]})
    assert (guids(found), ending.complete) == (ALL, True)
    first = [each for each in repository.lists if "set" in each]
    assert first == [{**FIRST, "set": "a"}, {**FIRST, "set": "b:c"}]


def test_an_empty_set_proves_nothing(reads: Reads) -> None:
    repository = Repository([], {"a": numbered(3), "b": []})
    found, ending = reads(repository, {"set": "a b"})
    assert len(found) == 3
    assert not ending.complete
    assert "the set b of" in ending.reason


def test_a_server_that_asks_to_wait_is_waited_for(publisher: Publisher) -> None:
    busy = iter([Response(status=503, headers={"Retry-After": "7"})])
    repository = Repository(numbered(3), change=lambda _given: next(busy, None))
    clock = FakeTime()
    with HttpClient(Guard(LOOPBACK), sleep=clock.sleep, clock=clock.clock) as http:
        found, ending = Reads(OAIPMH, publisher, http)(repository, {"metadata_prefix": "oai_dc"})
    assert (len(found), ending.complete) == (3, True)
    assert clock.sleeps == [7]


def test_a_killed_read_goes_on_with_the_next_token(reads: Reads) -> None:
    repository = Repository(numbered(5))
    found, _ = reads(repository)
    points = [raw.resume for raw in found]
    assert [bool(each) for each in points] == [False, True, False, True, False]
    repository.asked.clear()
    found, ending = reads(repository, resume=points[1])
    assert (guids(found), ending.complete) == (ALL[2:], True)
    assert repository.lists == tokens(2, 4)


@pytest.mark.parametrize("point", ["7", "no", "[1]", "null"])
def test_an_unknown_resume_point_begins_anew(reads: Reads, point: str) -> None:
    found, ending = reads(Repository(numbered(5)), resume=point)
    assert (guids(found), ending.complete) == (ALL, True)


def test_a_resumed_token_that_expired_restarts_the_list(reads: Reads) -> None:
    expired = iter([error("badResumptionToken")])

    def change(given: Arguments) -> str | None:
        return next(expired, None) if "resumptionToken" in given else None

    found, ending = reads(Repository(numbered(5), change=change), resume='[0, "-2", 2]')
    assert (guids(found), ending.complete) == (ALL, True)


@pytest.mark.parametrize("policy", ["no", "transient", "persistent"])
def test_only_changes_are_requested_if_deletions_are_persistent(reads: Reads, policy: str) -> None:
    repository = Repository([deleted(1)], policy=policy)
    found, ending = reads(repository, {"full_check_days": 7}, since="2024-04-20")
    is_trusted = policy == "persistent"
    assert found[0].deleted
    assert ending.complete
    assert ending.changes_only is is_trusted
    assert ending.mark == ("2024-04-30" if is_trusted else "")
    assert repository.lists == [{**FIRST, **({"from": "2024-04-20"} if is_trusted else {})}]


def test_no_change_is_no_error(reads: Reads) -> None:
    def change(given: Arguments) -> str | None:
        return error("noRecordsMatch") if given["verb"] == "ListRecords" else None

    repository = Repository([], policy="persistent", change=change)
    found, ending = reads(repository, {"full_check_days": 7}, since="2024-04-20")
    assert (found, ending.complete, ending.changes_only) == ([], True, True)


def test_a_repository_without_identify_is_read_as_a_whole(reads: Reads) -> None:
    def change(given: Arguments) -> str | None:
        return error("badVerb") if given["verb"] == "Identify" else None

    repository = Repository(numbered(2), policy="persistent", change=change)
    _, ending = reads(repository, {"full_check_days": 7}, since="2024-04-20")
    assert (ending.complete, ending.changes_only, ending.mark) == (True, False, "")


def test_two_records_with_one_identity_are_reported(reads: Reads) -> None:
    twins = [oai_dc(Item(1, "One")), oai_dc(Item(2)), oai_dc(Item(1, "Other"))]
    found, ending = reads(Repository(twins))
    assert [raw.error is not None for raw in found] == [False, False, True]
    assert not ending.complete


def test_a_document_that_breaks_off_stops_the_run(reads: Reads) -> None:
    def change(given: Arguments) -> str | Response | None:
        if "resumptionToken" not in given:
            return None
        return Response(f"<OAI-PMH><ListRecords>{numbered(1)[0]}".encode(), headers=XML)

    with pytest.raises(SourceError, match="not an answer of OAI-PMH: the document is not well-"):
        reads(Repository(numbered(5), change=change))


def test_run_does_not_resume_behind_a_repaired_page(reads: Reads) -> None:
    records = numbered(6)
    records[2] = records[2].replace("</dc:title>", " & more</dc:title>", 1)
    found, ending = reads(Repository(records))
    assert len(found) == 6
    assert [bool(raw.resume) for raw in found] == [False, True, False, False, False, False]
    assert (ending.complete, [each.code for each in ending.problems]) == (False, [REPAIRED])


def test_document_without_records_is_refused_by_its_syntax(reads: Reads) -> None:
    broken = Response(b"<OAI-PMH><bogus></OAI-PMH>", headers=XML)
    with pytest.raises(ProtocolError, match="<bogus> of line 1 ends with </OAI-PMH>") as caught:
        reads(Repository([], change=lambda _given: broken), {"metadata_prefix": "oai_dc"})
    assert (caught.value.code, caught.value.line) == ("xml-syntax", 1)
