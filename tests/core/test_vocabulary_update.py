"""A newer list in place of an older one."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ckanext.ukharvest.core import vocabulary
from ckanext.ukharvest.core import vocabulary_update as updates
from ckanext.ukharvest.core.vocabulary import Vocabulary, VocabularyError
from ckanext.ukharvest.core.vocabulary_file import parse

ESD = "http://id.esd.org.uk"


def newer(name: str, text: str) -> Vocabulary:
    return updates.newer(name, text, source="lists/newer.csv", date="2026-11-21")


def test_a_file_of_our_own_columns_is_taken_with_its_head() -> None:
    found = newer("services", f"# date: 2030\nuri,label,parent,theme\n{ESD}/service/1,One,,\n")
    assert found.about["title"] == "Local government services"
    assert found.about["date"] == "2030"
    assert found.about["source"] == "lists/newer.csv"
    assert "Open Government Licence" in found.about["licence"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("579", f"{ESD}/service/579", id="number"),
        pytest.param(f"{ESD}/service/579", f"{ESD}/service/579", id="address"),
        pytest.param("https://id.esd.org.uk/service/579/", f"{ESD}/service/579", id="https"),
        pytest.param("http://other.example/579", "http://other.example/579", id="another"),
    ],
)
def test_the_publishers_own_columns_are_read(given: str, expected: str) -> None:
    found = newer(
        "services",
        "Identifier,Label,Description,Created,Modified,History notes,Type\r\n"
        f'{given},"Loos, public",What,2010-01-01,2020-01-01,,Service\r\n',
    )
    (row,) = found.rows
    assert (row["uri"], row["label"]) == (expected, "Loos, public")
    if expected.startswith(ESD):
        assert row["parent"] == f"{ESD}/function/40"  # kept: the publisher's file lacks it
        assert row["theme"]


def test_the_publishers_mapping_counts_before_what_was_there() -> None:
    found = newer(
        "services",
        "Identifier,Label,Mapped identifier,Mapped label,Theme\n"
        "579,Public toilets,30,Environmental protection,Health\n"
        "579,Public toilets,72,Leisure and culture,Society\n",
    )
    (row,) = found.rows
    assert (row["parent"], row["theme"]) == (f"{ESD}/function/30", "Health")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("services", "", "neither those of ckanext-ukharvest"),
        ("services", "<html>\n", "found <html>"),
        ("services", "Identifier,Label\n,None\n", "uri is ''"),
        ("services", "Identifier,Label\n579\n", "label is ''"),
        # The line of the publisher's file, which has some entries more than once.
        ("services", "Identifier,Label\n579,A\n579,A\nx,B\n", "line 4: uri is 'x'"),
        ("services", "Identifier,Label,Mapped identifier\n579,A,999\n", "update the functions"),
        ("functions", f"uri,label,parent,theme\n{ESD}/function/1,A,{ESD}/function/2,\n", "no func"),
        ("services", "uri,label\nhttp://a.example,A\n", "column parent is missing"),
        ("services", 'Identifier,Label\n579,"A"b\n', "no CSV"),
        ("services", "Identifier,Label\n579,A\x00b\n", "label has a control character"),
        ("themes", "Identifier,Label\n1,A\n", "column name is missing"),
    ],
)
def test_what_is_no_such_list_is_refused(name: str, text: str, words: str) -> None:
    with pytest.raises(VocabularyError, match=words):
        newer(name, text)


def test_a_function_may_stand_in_one_of_the_same_file() -> None:
    found = newer("functions", f"uri,label,parent,theme\n{ESD}/function/1,A,,\n{ESD}/function/2,B,"
                  f"https://id.esd.org.uk/function/1/,\n")  # fmt: skip
    assert len(found.rows) == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(encoding: str) -> None:
    assert updates.decoded("Gwasanaethau ŵ".encode(encoding)) == "Gwasanaethau ŵ"


def test_another_encoding_is_refused() -> None:
    with pytest.raises(VocabularyError, match="not in UTF-8"):
        updates.decoded("£".encode("cp1252"))
    with pytest.raises(VocabularyError, match="not in UTF-8"):
        updates.decoded(b"\xff\xfea")


def test_loss_is_counted_by_what_names_an_entry() -> None:
    old = parse("x", "uri,label\nhttp://a/1,A\nhttp://a/2,B\n")
    new = parse("x", "uri,label\nhttps://a/2/,C\nhttp://a/3,D\n")
    assert (updates.loss(old, new), updates.loss(new, old)) == (1, 1)


def test_a_list_is_written_at_once_and_may_be_read_by_all(lists_folder: Path) -> None:
    found = newer("frequencies", "value,label,intervals,words\nnever,Not once,,\n")
    path = updates.save(found, lists_folder / "deep" / "er")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    vocabulary.use(path.parent)
    assert vocabulary.label("frequencies", "never") == "Not once"
    assert vocabulary.load("frequencies").about["date"] == "2026-11-21"


def test_a_list_that_cannot_be_written_leaves_the_old_one(
    lists_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = newer("frequencies", "value,label,intervals,words\nnever,Not once,,\n")
    updates.save(found, lists_folder)

    def fails(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    before = (lists_folder / "frequencies.csv").read_bytes()
    with pytest.raises(OSError, match="No space"):
        updates.save(found, lists_folder)
    assert [path.name for path in lists_folder.iterdir()] == ["frequencies.csv"]
    assert (lists_folder / "frequencies.csv").read_bytes() == before
