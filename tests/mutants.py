"""Seeded faults that the tests have to find: the table of bin/mutants.

Each entry breaks one guarantee by a slip that a programmer could make. Whoever moves or rewrites
the code of an entry changes the entry in the same commit. An entry is removed only when another
takes its place for the same guarantee.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One seeded fault.

    Attributes:
        name: unique.
        guarantee: what users rely on and the fault breaks, in one sentence.
        place: qualified name of the function, class or constant with the text; of what is not
            Python the path of the file.
        text: occurs once in the place.
        replacement: the fault.
        tests: files, folders or tests (path::name) that are run first.
    """

    name: str
    guarantee: str
    place: str
    text: str
    replacement: str
    tests: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The file of the place."""
        return self._split()[0]

    def _split(self) -> tuple[Path, list[str]]:
        """Return the file of the place, and the names within it."""
        if "/" in self.place:
            return ROOT / self.place, []
        parts = self.place.split(".")
        for number in range(len(parts) - 1, 0, -1):
            folder = ROOT.joinpath(*parts[:number])
            for path in (folder.with_suffix(".py"), folder / "__init__.py"):
                if path.is_file():
                    return path, parts[number:]
        raise ValueError(f"{self.name}: there is no module of {self.place}")

    def apply(self) -> str:
        """Return the file's source with the fault.

        Raises:
            ValueError: there is no such place, or it does not have the text exactly once.
        """
        path, names = self._split()
        source = path.read_text(encoding="utf-8")
        lines = source.split("\n")
        start, end = 0, len(lines)
        if names:
            found = _find(ast.parse(source), names)
            if found is None:
                raise ValueError(f"{self.name}: {path.name} does not define {'.'.join(names)}")
            start, end = found.lineno - 1, found.end_lineno or end
        place = "\n".join(lines[start:end])
        if (count := place.count(self.text)) != 1:
            raise ValueError(f"{self.name}: {self.place} has the text {count} times, not once")
        changed = place.replace(self.text, self.replacement).split("\n")
        return "\n".join([*lines[:start], *changed, *lines[end:]])


def _find(tree: ast.Module, names: list[str]) -> ast.stmt | None:
    """Return the definition of a function, class or constant; ``names`` lead to it."""
    body, found = tree.body, None
    for name in names:
        found = next((each for each in body if name in _names(each)), None)
        body = getattr(found, "body", [])
    return found


def _names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [each.id for each in targets if isinstance(each, ast.Name)]


# In the order of the package's floors; those without CKAN first.
MUTANTS = (
    Mutant(
        "guard-range",
        "An IPv6 address outside the public range, such as ::127.0.0.1, is not contacted.",
        "ckanext.ukharvest.core.http.guard._is_public",
        "    if isinstance(ip, ipaddress.IPv6Address) and ip not in _UNICAST6:\n"
        "        return False\n",
        "",
        ("tests/core/http/test_guard.py",),
    ),
    Mutant(
        "secret-over-redirects",
        "After a redirect to another server no request carries a secret, however many follow.",
        "ckanext.ukharvest.core.http.client.HttpClient._answer",
        "trusted = trusted and origin",
        "trusted = origin",
        ("tests/core/http/test_connection.py",),
    ),
    Mutant(
        "signature-in-messages",
        "A message shows no signature of a URL, as Azure's sig.",
        "ckanext.ukharvest.core.http.urls._SECRET",
        "key|auth|sig|pwd",
        "key|auth|pwd",
        ("tests/core/http/test_urls.py",),
    ),
    Mutant(
        "secret-of-a-header",
        "A message repeats no header with a secret that a server shows in its answer.",
        "ckanext.ukharvest.core.http.urls.hide_secrets",
        '_SECRET_HEADER.sub(r"\\1…", _NAMED_SECRET.sub(r"\\1…", text))',
        '_NAMED_SECRET.sub(r"\\1…", text)',
        ("tests/core/http/test_urls.py",),
    ),
    Mutant(
        "secret-by-host",
        "A secret is sent only to its own scheme, host and port.",
        "ckanext.ukharvest.core.http.credentials.Secrets.of_server",
        "one.origin == server",
        "one.origin[1] == server[1]",
        ("tests/core/http/test_credentials.py",),
    ),
    Mutant(
        "encoding-listed",
        "An encoding that is not on the list is not read, whatever Python's codecs are.",
        "ckanext.ukharvest.core.encodings.find_codec",
        '_CODECS.get(_fold(name), "")',
        "_CODECS.get(_fold(name), name)",
        ("tests/core/test_encodings.py",),
    ),
    Mutant(
        "period-length",
        "A long text is no period, and is not searched for one.",
        "ckanext.ukharvest.core.values.periods.parse_period",
        "    if len(text) > LONGEST:\n        raise refused\n",
        "",
        ("tests/core/values/test_long_texts.py",),
    ),
    Mutant(
        "word-of-a-list",
        "Each word of the bundled lists has its meaning.",
        "ckanext/ukharvest/vocabularies/frequencies.csv",
        "; biannual;",
        ";",
        ("tests/core/vocabularies/test_words.py",),
    ),
    Mutant(
        "licence-reserved",
        "Data whose terms reserve something beside an open licence is not called open.",
        "ckanext.ukharvest.core.values.licences._narrowed",
        "    if licence and others:\n",
        "    if False:\n",
        ("tests/parsers/test_values_in_every_format.py",),
    ),
    Mutant(
        "licence-first",
        "Of an open and a closed licence in one record the closed one counts, in every format.",
        "ckanext.ukharvest.core.values.licences._narrowed",
        "licence = find_single_licence(named)\n    if licence and",
        "licence = next((known for known in named if known.id), None)\n    if licence and",
        ("tests/parsers/test_values_in_every_format.py",),
    ),
    Mutant(
        "gzip-end",
        "A gzip body that breaks off is an error, not a shorter document.",
        "ckanext.ukharvest.core.http.body._unpacked",
        'decoder.flush()\n    if not decoder.eof:\n        raise zlib.error("incomplete")',
        "decoder.flush()",
        ("tests/core/http/test_body.py::test_a_body_that_cannot_be_unpacked_is_an_error",),
    ),
    Mutant(
        "repaired-read",
        "Nothing counts as missing after a run that read a repaired document.",
        "ckanext.ukharvest.readers.numbered_pages._unless_repaired",
        "complete=False, reason=reason",
        "reason=reason",
        ("tests/readers/rdf/test_repair.py",),
    ),
    Mutant(
        "repaired-page",
        "Nothing counts as missing after a run that read a repaired page of a list.",
        "ckanext.ukharvest.core.xml.repair.parse",
        "        problems.append(problem(fault, url))\n",
        "",
        ("tests/publishers/test_answers.py::test_recovered_page_is_read_and_deletes_nothing",),
    ),
    Mutant(
        "resumed-behind-repair",
        "A killed run that read a repaired page reads that page again, and is not complete.",
        "ckanext.ukharvest.readers.walk.Walk._page",
        " and not self.problems:",
        ":",
        ("tests/readers/test_walk.py::test_no_run_resumes_behind_a_repaired_page",),
    ),
    Mutant(
        "cut-off-xml",
        "An XML document that ends too early is refused, not read as far as it goes.",
        "ckanext.ukharvest.core.xml.repair.repair",
        " or not _is_closed(root, data)",
        "",
        ("tests/core/xml/test_repair.py",),
    ),
    Mutant(
        "retry-after-cap",
        "A server cannot make a run wait longer than the limit.",
        "ckanext.ukharvest.core.http.client.HttpClient._attempts",
        "min(reply.retry_after, self.limits.retry_after_cap)",
        "reply.retry_after",
        ("tests/core/http/test_client.py",),
    ),
    Mutant(
        "xml-doctype",
        "XML with a DOCTYPE that declares something is refused.",
        "ckanext.ukharvest.core.xml.parser._refuse",
        "docinfo.internalDTD",
        "docinfo.externalDTD",
        ("tests/core/xml/test_parser.py", "tests/core/test_document_kind.py"),
    ),
    Mutant(
        "json-depth",
        "JSON that is nested too deep is refused also if its brackets come in several pieces.",
        "ckanext.ukharvest.core.json_limits.JsonPieces._is_too_deep",
        "if self._depth + opened <= MAX_DEPTH",
        "if opened <= MAX_DEPTH",
        ("tests/core/test_json_limits.py",),
    ),
    Mutant(
        "licence-reservation",
        "Terms that name an open licence and reserve something are not open.",
        "ckanext.ukharvest.core.values.licences.find_agreed_licence",
        "len(t) > _LONGEST_TERMS or holds_back(t) for t in texts",
        "len(t) > _LONGEST_TERMS for t in texts",
        ("tests/core/values/test_licence_phrases.py",),
    ),
    Mutant(
        "deletion-of-half",
        "Deletions of half of a source's datasets need no approval, of more than half they do.",
        "ckanext.ukharvest.core.deletions.is_more_than_half",
        "2 * due > active",
        "2 * due >= active",
        ("tests/core/test_deletions.py",),
    ),
    Mutant(
        "deletion-counted-twice",
        "Datasets that this run deletes do not count again in the forecast of later runs.",
        "ckanext.ukharvest.core.deletions._shortfall",
        "left = active - deleted",
        "left = active",
        ("tests/core/test_deletions.py",),
    ),
    Mutant(
        "fingerprint-rules",
        "A change of parser, mapper or options changes the fingerprint, so records come again.",
        "ckanext.ukharvest.core.fingerprint.fingerprint",
        'sha256(canonical_json(list(import_rules)).encode("utf-8"))',
        "sha256()",
        ("tests/core/test_fingerprint.py",),
    ),
    Mutant(
        "link-server-away",
        "A link is not dead because its whole server is away.",
        "ckanext.ukharvest.core.link_states.after_check",
        "fault in DEFINITE and not is_away",
        "fault in DEFINITE",
        ("tests/core/test_link_states.py",),
    ),
    Mutant(
        "context-copies",
        "A JSON-LD document whose contexts are copied too often is refused.",
        "ckanext.ukharvest.readers.rdf.context_limits._Work.check",
        "self._number * size",
        "size",
        (
            "tests/readers/rdf/test_context_limits.py::test_context_with_escaped_letters_is_refused_too",
        ),
    ),
    Mutant(
        "page-forbidden",
        "A page that is refused does not prove that a source has no further records.",
        "ckanext.ukharvest.readers.numbered_pages._refused",
        "in (404, 410)",
        "in (403, 404, 410)",
        ("tests/readers/test_numbered_pages.py",),
    ),
    Mutant(
        "list-changing-total",
        "A list whose total changes during a read is not complete, so nothing is deleted.",
        "ckanext.ukharvest.readers.walk.Walk.reason",
        'if self.has_changed:\n            return f"the number of {noun}s of {where} changed while'
        ' they were read"\n        if self.is_whole:',
        "if self._pages.is_whole(self.total):",
        ("tests/readers/test_walk.py", "tests/readers/test_seen_records.py"),
    ),
    Mutant(
        "list-ending-in-an-old-page",
        "An old page under a token does not prove the end of a list without a total.",
        "ckanext.ukharvest.readers.walk.Walk.read",
        "                self._end_doubt = pages.barren_doubt\n            if following is None:",
        "                pass\n            if following is None:",
        ("tests/readers/test_walk.py", "tests/readers/oaipmh/test_reader.py"),
    ),
    Mutant(
        "csw-changing-total",
        "A CSW whose total changes during a read is not complete, so nothing is deleted.",
        "ckanext.ukharvest.readers.walk.Walk.note_total",
        "self.has_changed = True",
        "self.has_changed = False",
        ("tests/readers/csw/test_reader.py",),
    ),
    Mutant(
        "csw-counting-on",
        "Records that a CSW showed before its total changed do not prove the new total.",
        "ckanext.ukharvest.readers.csw.reader.CountedRecords.begin_again",
        "        self._current.clear()\n        self.count = 0",
        "        pass",
        ("tests/readers/csw/test_reader.py",),
    ),
    Mutant(
        "ckan-short-list",
        "A CKAN site that shows fewer datasets than it counts is not complete.",
        "ckanext.ukharvest.readers.ckan_api.reader.Search.is_whole",
        " <= self.seen.count",
        "",
        ("tests/readers/ckan_api/test_reader.py",),
    ),
    Mutant(
        "ckan-moved-pages",
        "Datasets that are removed between two pages of a CKAN site hide no other one.",
        "ckanext.ukharvest.readers.ckan_api.reader.Search.page",
        "while self._has_moved(page):",
        "while False:",
        ("tests/readers/ckan_api/test_reader.py",),
    ),
    Mutant(
        "oaipmh-lost-deletions",
        "A repository that does not remember its deletions is read whole, not for changes only.",
        "ckanext.ukharvest.readers.oaipmh.reader.Repository._since",
        'self._source.since if self._deleted == "persistent" else ""',
        "self._source.since",
        ("tests/readers/oaipmh/test_reader.py",),
    ),
    Mutant(
        "waf-error-report",
        "A server's error report in the place of a file does not prove that its record is gone.",
        "ckanext.ukharvest.readers.waf.reader.Waf._refused",
        "isinstance(exc, OtherDocument) and not _FAILED.search(exc.root)",
        "isinstance(exc, OtherDocument)",
        ("tests/readers/waf/test_folder.py",),
    ),
    Mutant(
        "gemini-provider",
        "The provider of a GEMINI record is its owner, and its publisher where there is none.",
        "ckanext.ukharvest.parsers.gemini.people._people",
        '_of_role(parties, "owner") or ',
        "",
        ("tests/parsers/gemini/test_people.py",),
    ),
    Mutant(
        "gemini-excluded-area",
        "An area that a record excludes, in either spelling of false, is not part of its place.",
        "ckanext.ukharvest.parsers.gemini.extent._areas",
        'node.yes_no("extentTypeCode") is not False',
        'node.text("extentTypeCode").lower() != "false"',
        ("tests/parsers/gemini/test_extent.py",),
    ),
    Mutant(
        "dcat-download",
        "The URL of a file is that of its download, not of the page about it.",
        "ckanext.ukharvest.parsers.dcat.distribution._addresses",
        "[*downloads, *accesses, endpoint]",
        "[*accesses, *downloads, endpoint]",
        ("tests/parsers/dcat",),
    ),
    Mutant(
        "private-dataset",
        "A dataset that a person made private stays private after an import.",
        "ckanext.ukharvest.mapping.kept_fields.KEPT_FIELDS",
        '"private", ',
        "",
        ("tests/mapping/test_package_mapper.py",),
    ),
    Mutant(
        "persons-field",
        "A field that a person filled and the source never supplied stays at the next import.",
        "ckanext.ukharvest.mapping.kept_fields.keep_fields",
        "if _is_given(value) and (key in stays or (is_field and key not in taken)):",
        "if _is_given(value) and is_field and key in stays:",
        ("tests/mapping/test_kept_fields.py",),
    ),
    Mutant(
        "field-taken-back",
        "A field that the source supplied at its last import and supplies no more is removed.",
        "ckanext.ukharvest.mapping.kept_fields.keep_fields",
        "taken = _NO_FIELDS | gone | {",
        "taken = _NO_FIELDS | {",
        ("tests/mapping/test_kept_fields.py",),
    ),
    Mutant(
        "half-of-identifiers",
        "New identifiers of half of the missing records are enough to ask a person.",
        "ckanext.ukharvest.reading.changed_identifiers.enough",
        "2 * pairs >= missing",
        "2 * pairs > missing",
        ("tests/reading/test_changed_identifiers.py",),
    ),
    Mutant(
        "schema-bound",
        "A value that equals the minimum or maximum of its column is valid.",
        "ckanext.ukharvest.schema_check.columns._is_above",
        "value >= bound if or_equal else value > bound",
        "value > bound",
        ("tests/schema_check/test_table_schema.py",),
    ),
    Mutant(
        "text-without-its-value",
        "A text has a placeholder for each value that it gets, in templates and in Python.",
        "ckanext.ukharvest.rendering.problem_texts.describe_problem",
        "Write it like this: {example}",
        "Write it like this:",
        ("tests/test_translation.py::test_texts_get_exactly_the_values_that_they_name",),
    ),
    Mutant(
        "label-not-escaped",
        "Markup in a harvested value is shown as text.",
        "ckanext.ukharvest.rendering.values._markup",
        "head = escape(item.label)",
        "head = Markup(item.label)",
        ("tests/rendering/test_values.py",),
    ),
    Mutant(
        "check-exit-code",
        "`ukharvest check` has an exit code other than 0 if records would fail.",
        "ckanext.ukharvest.check_command.command.run",
        "return check.exit_code",
        "return FINE",
        ("tests/check_command/test_command.py", "tests/check_command/test_output.py"),
    ),
    Mutant(
        "stars-own-links",
        "Links to the dataset's own host do not make it linked data.",
        "ckanext.ukharvest.stars.rules.is_linked",
        '{"", *map(_host, own)}',
        '{""}',
        ("tests/stars/test_rules.py",),
    ),
    # These need CKAN.
    Mutant(
        "own-site",
        "The portal does not harvest itself under another name of its host.",
        "ckanext.ukharvest.readers.ckan_api.package.refuse_own_site",
        'startswith(f"{own.url}/")',
        'startswith(f"{base}/")',
        ("tests/ckan/sources/test_own_site.py::test_run_under_another_name_reads_nothing",),
    ),
    Mutant(
        "claims-in-turn",
        "Consumers take batches of several sources in turn, so a large one does not block others.",
        "ckanext.ukharvest.harvest.consumers.claims._runs",
        "SourceState.claimed.asc().nulls_first(), HarvestJob.created",
        "HarvestJob.created",
        (
            "tests/ckan/harvest/batch/test_batch_transaction.py",
            "tests/ckan/harvest/consumers/test_held_jobs.py",
            "tests/ckan/harvest/test_lists.py",
        ),
    ),
    Mutant(
        "last-attempt",
        "A record fails only at the sixth attempt that meets a failing service.",
        "ckanext.ukharvest.harvest.consumers.failures._wait_again",
        "attempts > len(PAUSES)",
        "attempts >= len(PAUSES)",
        ("tests/ckan/harvest/consumers/test_failures.py",),
    ),
    Mutant(
        "guid-lock",
        "Two sources that list one record at the same moment make one dataset.",
        "ckanext.ukharvest.harvest.records.conflicts.lock_and_find",
        "*((database.GUIDS, guid) for guid in guids), ",
        "",
        (
            "tests/ckan/harvest/batch/test_batch_transaction.py::test_record_of_two_sources_at_once_has_one_dataset",
        ),
    ),
    Mutant(
        "origin-lock",
        "A dataset that two portals hand on at the same moment is made once.",
        "ckanext.ukharvest.harvest.records.conflicts.lock_and_find_handed_on",
        "    lock_guids(guids)\n",
        "",
        (
            "tests/ckan/harvest/records/test_conflicts.py::test_dataset_by_two_routes_at_once_is_one",
        ),
    ),
    Mutant(
        "second-route",
        "A dataset that comes by way of two portals is made once, from the first route.",
        "ckanext.ukharvest.harvest.batch.items.Left.put",
        "row.origin_guid, row.same_as = self.parsed.origin_guid, None",
        "row.same_as = None",
        ("tests/ckan/harvest/records/test_conflicts.py",),
    ),
    Mutant(
        "pruned-current-object",
        "Pruning never removes the current harvest object of a dataset.",
        "ckanext.ukharvest.harvest.run.prune._objects_of",
        "        HarvestObject.current.isnot(True),\n",
        "",
        ("tests/ckan/harvest/run/test_prune.py",),
    ),
    Mutant(
        "cleared-dataset-of-another",
        "Clearing a source leaves the datasets that another source has.",
        "ckanext.ukharvest.harvest.run.prune.dataset_ids",
        "~claimed,\n        sa.or_(ours, sa.and_(harvested, ~harvested_by_others))",
        "sa.or_(ours, sa.and_(harvested, ~claimed, ~harvested_by_others))",
        ("tests/ckan/harvest_actions/test_actions.py",),
    ),
    Mutant(
        "approved-although-back",
        "A record that came back is not deleted by an approval of the older list.",
        "ckanext.ukharvest.harvest.records.pending.DUE",
        " OR record.missed_runs > 0",
        " OR true",
        ("tests/ckan/deletions/test_actions.py", "tests/ckan/deletions/test_cli.py"),
    ),
    Mutant(
        "adopted-from-another",
        "A source does not adopt datasets of another organisation by their identifiers.",
        "ckanext.ukharvest.harvest.sources.dataset_adoption._by_extras",
        "            Package.owner_org == _organisation(source),\n",
        "",
        ("tests/ckan/adoption/test_cli.py", "tests/ckan/adoption/test_adoption.py"),
    ),
    Mutant(
        "mail-of-former-organisation",
        "When a source moves, addresses that its former organisation chose get no more emails.",
        "ckanext.ukharvest.notifications.model.Settings.within",
        "self if organization_id == self.organization else replace(self, addresses=())",
        "self",
        (
            "tests/ckan/notifications/test_mails.py",
            "tests/ckan/notifications/test_actions.py",
            "tests/ckan/notifications/test_model.py",
            "tests/ckan/notifications/test_doctor.py",
        ),
    ),
    Mutant(
        "private-source-listed",
        "A private source is listed only to people of its organisation.",
        "ckanext.ukharvest.sources.model._listed",
        "    if row.private and not manages and row.owner_org not in asker.reads:\n"
        "        return None\n",
        "",
        ("tests/ckan/sources/test_model.py",),
    ),
    Mutant(
        "batch-not-committed",
        "The end of failed records of a batch is stored, so their run can finish.",
        "ckanext.ukharvest.harvest.batch.batch_transaction._write",
        "            Session.commit()\n",
        "",
        (
            "tests/ckan/harvest/batch/test_batch_transaction.py",
            "tests/ckan/harvest/consumers/test_held_jobs.py",
            "tests/ckan/harvest/test_lists.py",
        ),
    ),
    Mutant(
        "job-of-refused-dataset",
        "Background jobs of a dataset that was refused are not run.",
        "ckanext.ukharvest.write_batch.WriteBatch.savepoint",
        "del self.own_rows[rows:], self.jobs[jobs:]",
        "del self.own_rows[rows:]",
        (
            "tests/ckan/harvest/batch/test_batch_transaction.py",
            "tests/ckan/harvest/consumers/test_held_jobs.py",
            "tests/ckan/harvest/test_lists.py",
        ),
    ),
    Mutant(
        "failing-hook",
        "A plugin that fails before a dataset is saved costs that record, whose error names it.",
        "ckanext.ukharvest.harvest.hooks.plugin_hooks._naming",
        "raise _failure(plugin, exc) from exc",
        "raise",
        (
            "tests/ckan/harvest/hooks/test_plugin_hooks.py",
            "tests/ckan/lib/test_other_harvesters.py",
        ),
    ),
    Mutant(
        "stock-hook-leaves-ours",
        "What a stock hook leaves alone in a dataset stays as our harvester made it.",
        "ckanext.ukharvest.harvest.hooks.stock_hooks._taken",
        "key: ours[key] if same else after[key]",
        "key: after[key]",
        ("tests/ckan/harvest/hooks/test_stock_hooks.py",),
    ),
    Mutant(
        "stock-hook-twice",
        "Stock hooks of an extension that has before_dataset_save are not called beside it.",
        "ckanext.ukharvest.harvest.hooks.stock_hooks._implementations",
        "if is_own and not is_ported(type(plugin).__module__):",
        "if is_own:",
        ("tests/ckan/harvest/hooks/test_stock_hooks.py",),
    ),
    Mutant(
        "adopted-non-public",
        "Records that are not public stay when a data.json source is adopted.",
        "ckanext.ukharvest.adoption.rules._added",
        "added[NON_PUBLIC] = True, _OWN_RECORDS",
        "pass",
        ("tests/ckan/adoption/test_ports.py",),
    ),
    Mutant(
        "error-in-batch",
        "An exception while a dataset is saved costs its record only, not the rest of the batch.",
        "ckanext.ukharvest.harvest.batch.batch_transaction._refuse",
        "item.fail(UkharvestError(INTERNAL))",
        "raise exc",
        (
            "tests/ckan/harvest/batch/test_batch_transaction.py",
            "tests/ckan/harvest/consumers/test_held_jobs.py",
            "tests/ckan/harvest/test_lists.py",
        ),
    ),
    Mutant(
        "deleted-by-hand",
        "A full run brings back a dataset that a person deleted.",
        "ckanext.ukharvest.harvest.batch.batch_transaction.Transaction._result",
        "and not row.removed and not item.forced",
        "and not row.removed",
        ("tests/ckan/harvest/index/test_search_index.py",),
    ),
    Mutant(
        "wrong-owner",
        "A dataset goes to the remote organisation if the source takes those over.",
        "ckanext.ukharvest.harvest.batch.preparation._defaults",
        "owner_org=owner_org or setting.owner_org",
        "owner_org=setting.owner_org or owner_org",
        ("tests/ckan/harvest/sources/test_remote_groups.py",),
    ),
    Mutant(
        "value-outdated",
        "A changed table of values lets the records be imported again that come out differently.",
        "ckanext.ukharvest.harvest.sources.value_tables._differs",
        '(ours or "") != table.find(field, text)',
        "ours is not None and ours != table.find(field, text)",
        ("tests/ckan/value_tables/test_tables.py",),
    ),
    Mutant(
        "value-of-others",
        "An editor's table gives no datasets to organisations that the editor does not administer.",
        "ckanext.ukharvest.value_tables.schema._group_id",
        "if not is_free and not",
        "if is_free and not",
        ("tests/ckan/value_tables/test_changes.py",),
    ),
    Mutant(
        "nameless-record",
        "A record without identifier keeps the run from deleting, as it may be any known one.",
        "ckanext.ukharvest.harvest.gather.gather_stage._completeness",
        "if ending.complete and state.listing.has_nameless",
        "if not ending.complete and state.listing.has_nameless",
        (
            "tests/ckan/deletions/test_actions.py",
            "tests/ckan/deletions/test_cli.py",
            "tests/ckan/harvest/sources/test_source_config.py",
        ),
    ),
    Mutant(
        "new-identifiers-imported",
        "Records under new identifiers wait for a person, and are not imported as new datasets.",
        "ckanext.ukharvest.harvest.gather.gather_stage._hold_back_changed",
        "hold_back_staged(state, changed.guids.values())",
        "hold_back_staged(state, changed.guids)",
        ("tests/ckan/harvest/records/test_pending.py",),
    ),
    Mutant(
        "new-identifiers-missing",
        "A dataset whose record seems to have a new identifier is not counted as missing.",
        "ckanext.ukharvest.harvest.gather.gather_stage._plan",
        "state.listing.seen.union(changed.guids) if changed else state.listing.seen",
        "state.listing.seen",
        ("tests/ckan/harvest/records/test_pending.py",),
    ),
    Mutant(
        "endless-kills",
        "A record that ended three consumers is given up and not tried again.",
        "ckanext.ukharvest.harvest.consumers.lost_work._recover",
        "lost.kills >= MAX_KILLS",
        "lost.kills > MAX_KILLS",
        ("tests/ckan/harvest/run/test_sweeper.py", "tests/ckan/harvest/consumers/test_workers.py"),
    ),
    Mutant(
        "export-of-hidden-dataset",
        "A dataset that another plugin hides from visitors is not exported.",
        "ckanext.ukharvest.export.files._show",
        '"ignore_auth": False',
        '"ignore_auth": True',
        ("tests/ckan/export/test_files.py",),
    ),
    Mutant(
        "exported-services",
        "The export in DCAT has the services of a dataset, not only its functions.",
        "ckanext.ukharvest.export.dcat.theme_uris",
        '("la_function", "la_service")',
        '("la_function",)',
        (
            "tests/ckan/export/test_dataset.py",
            "tests/ckan/export/test_data_json.py",
            "tests/ckan/export/test_profile.py",
        ),
    ),
    Mutant(
        "exported-schema",
        "The export in data.json has the schema of each file.",
        "ckanext.ukharvest.export.data_json._distribution",
        '            "conformsTo": schema,\n',
        "",
        (
            "tests/ckan/export/test_dataset.py",
            "tests/ckan/export/test_data_json.py",
            "tests/ckan/export/test_rdf.py",
        ),
    ),
    Mutant(
        "doctor-dead-consumer",
        "The doctor finds work that is held by a consumer without heartbeat.",
        "ckanext.ukharvest.doctor.runs.unowned",
        "Worker.id == Claim.worker_id, Worker.heartbeat > alive",
        "Worker.id == Claim.worker_id",
        ("tests/ckan/doctor/test_fixes.py",),
    ),
    Mutant(
        "indexed-errors",
        "The search index, which everybody can read, has no errors of a source.",
        "ckanext.ukharvest.datasets.search._of_source",
        '("data_dict", "validated_data_dict")',
        '("data_dict",)',
        ("tests/ckan/security/test_access.py",),
    ),
    Mutant(
        "secret-of-a-source",
        "A secret in a source's URL or options is shown to users who may update the source.",
        "ckanext.ukharvest.lib.source_secrets.hide_in_source",
        "and not is_insider(context",
        "and is_insider(context",
        ("tests/ckan/lib/test_source_secrets.py",),
    ),
    Mutant(
        "approval-by-editor",
        "Only administrators of the organisation may approve deletions.",
        "ckanext.ukharvest.lib.auth.is_administrator",
        'organisation, user, "admin"',
        'organisation, user, "update_dataset"',
        ("tests/ckan/harvest_actions/test_auth.py",),
    ),
    Mutant(
        "reserved-option",
        "An editor cannot change an option that a sysadmin has set.",
        "ckanext.ukharvest.sources.rules._keep_reserved",
        "if options[name] != stored.get(name)",
        "if name not in stored",
        ("tests/ckan/sources/test_rules.py",),
    ),
    Mutant(
        "record-may-run",
        "A browser runs and loads nothing because of a harvested record.",
        "ckanext.ukharvest.datasets.pages._raw",
        '    response.headers["Content-Security-Policy"] = _RAW_POLICY\n',
        "",
        ("tests/ckan/datasets/test_pages.py",),
    ),
    Mutant(
        "framed-form",
        "No other site can show a form or confirmation of ours in a frame.",
        "ckanext.ukharvest.lib.pages.forbid_frames",
        """headers.add("Content-Security-Policy", "frame-ancestors 'self'")""",
        """headers.add("Content-Security-Policy", "frame-ancestors *")""",
        ("tests/ckan/security/test_access_routes.py",),
    ),
    Mutant(
        "source-text-raw",
        "A title of a source is saved without what commands a terminal.",
        "ckanext.ukharvest.patches.forms_and_commands.with_clean_texts",
        "made[name] = [source_rules.clean, *made[name]]",
        "made[name] = [*made[name]]",
        ("tests/ckan/sources/test_rules.py",),
    ),
    Mutant(
        "redis-that-refuses",
        "A consumer waits while Redis refuses to write, and goes on by itself.",
        "ckanext.ukharvest.patches.consumers._RedisQueue._faults",
        "return (redis.RedisError,)",
        "return (redis.ConnectionError,)",
        ("tests/ckan/harvest/consumers/test_failures.py",),
    ),
    Mutant(
        "queue-away",
        "A run that is created while Redis is away answers after one attempt to reach it.",
        "ckanext.ukharvest.patches.consumers.with_timeouts",
        "retries=8 if waits else 0",
        "retries=8",
        ("tests/ckan/harvest_actions/test_run_actions.py",),
    ),
    Mutant(
        "failed-gather-open",
        "A run whose gather raised an exception is ended, so its source can run again.",
        "ckanext.ukharvest.patches.queue_callbacks._fail_job",
        "    job.gather_finished = utcnow()\n",
        "",
        ("tests/ckan/patches/test_queue_callbacks.py",),
    ),
    Mutant(
        "run-without-result",
        "Figures and outcome of a run are stored in the transaction that ends it.",
        "ckanext.ukharvest.harvest.run.outcomes._store_ended",
        "                store_run_results(ended)\n",
        "                pass\n",
        ("tests/ckan/harvest/run/test_outcomes.py",),
    ),
    Mutant(
        "run-of-another-source",
        "A run of one's own opens no records of another source.",
        "ckanext.ukharvest.runs.actions._scope",
        "        raise not_found()\n",
        "        pass\n",
        ("tests/ckan/security/test_foreign_parameters.py",),
    ),
    Mutant(
        "right-of-another-parameter",
        "The right to one source gives no right to another that a request also names.",
        "ckanext.ukharvest.lib.auth.update_source",
        'data_dict.get("source_id")',
        'data_dict.get("guid") or data_dict.get("source_id")',
        ("tests/ckan/security/test_foreign_parameters.py",),
    ),
    Mutant(
        "unknown-parameter",
        "A list that is asked with a parameter it does not have does not answer for everything.",
        "ckanext.ukharvest.lib.parameters.check_own",
        "if name not in names]",
        "if name.isupper()]",
        ("tests/ckan/security/test_foreign_parameters.py",),
    ),
    Mutant(
        "private-source-in-harvest-list",
        "Lists of sources name no private source to visitors.",
        "ckanext.ukharvest.harvest_actions.actions.harvest_source_list",
        "is_private=row.private",
        "is_private=False",
        ("tests/ckan/security/test_foreign_parameters.py",),
    ),
    Mutant(
        "id-as-list",
        "An id that is a list, as of a repeated parameter, is not found, and no server error.",
        "ckanext.ukharvest.lib.parameters._check_value",
        "if not isinstance(value, str) or _UNSTORABLE.search(value):",
        "if isinstance(value, str) and _UNSTORABLE.search(value):",
        ("tests/ckan/lib/test_parameters.py",),
    ),
    Mutant(
        "limits-first",
        "A test that is refused because of too many costs no work.",
        "ckanext.ukharvest.previews.actions.ukharvest_source_preview_create",
        "    preview_rules.check_limits(user, of_saved=False)  # before any work: a refusal costs"
        " nothing\n    columns = preview_rules.validate(user, data_dict, source)\n",
        "    columns = preview_rules.validate(user, data_dict, source)\n"
        "    preview_rules.check_limits(user, of_saved=False)\n",
        ("tests/ckan/previews/test_jobs.py", "tests/ckan/previews/test_rules.py"),
    ),
    Mutant(
        "bulk-rows-of-unknown-source",
        "Rows for the index are read in bulk only for a function of CKAN that was tested.",
        "ckanext.ukharvest.patches.apply_patches",
        "patch.relies_on and untested",
        "False",
        ("tests/ckan/test_compat.py",),
    ),
    Mutant(
        "index-comparison-broken",
        "A run goes on after the comparison of the index has failed in the database.",
        "ckanext.ukharvest.harvest.index.search_index.mend_source",
        "            compat.rollback()\n",
        "",
        ("tests/ckan/harvest/index/test_index_values.py",),
    ),
    Mutant(
        "index-comparison-twice",
        "A run does not index what waits for its own request to the index.",
        "ckanext.ukharvest.harvest.index.search_index._repair",
        "wrong -= pending | set(recent)",
        "wrong -= set(recent)",
        ("tests/ckan/harvest/index/test_index_values.py",),
    ),
    Mutant(
        "refused-deletion-seen",
        "A record whose deletion was refused is still missing, and was not seen.",
        "ckanext.ukharvest.harvest.batch.items.Item.fail",
        "(DeletionRefused if self.is_deletion else Failed)(error, stage)",
        "Failed(error, stage)",
        ("tests/ckan/deletions/test_refused_deletions.py",),
    ),
    Mutant(
        "approval-claims-kept",
        "Approved deletions of a process that ends early wait for the consumers.",
        "ckanext.ukharvest.deletions.actions._delete",
        "            claims.give_back(heart.id)\n",
        "",
        ("tests/ckan/deletions/test_actions.py", "tests/ckan/deletions/test_cli.py"),
    ),
    Mutant(
        "failure-not-stored",
        "A record fails with an error even if storing its result is what fails.",
        "ckanext.ukharvest.harvest.batch.import_stage._fail_at_least",
        "        objects.end_as_failed(object_id, INTERNAL)\n",
        "",
        (
            "tests/ckan/harvest/batch/test_batch_transaction.py",
            "tests/ckan/harvest/consumers/test_held_jobs.py",
            "tests/ckan/harvest/test_lists.py",
        ),
    ),
    Mutant(
        "commit-in-a-deletion",
        "A deletion commits nothing before its batch.",
        "ckanext.ukharvest.patches.write_batches.commit_of",
        "if batch and batch.is_in_savepoint",
        "if False",
        (
            "tests/ckan/harvest/batch/test_batch_transaction.py",
            "tests/ckan/harvest/consumers/test_held_jobs.py",
            "tests/ckan/harvest/test_lists.py",
        ),
    ),
    Mutant(
        "held-deletions-released",
        "What waits for a person's approval is not deleted because its share has become smaller.",
        "ckanext.ukharvest.harvest.gather.gather_stage._plan",
        "        held=held,\n",
        "",
        ("tests/ckan/deletions/test_actions.py", "tests/ckan/deletions/test_cli.py"),
    ),
    Mutant(
        "deleted-by-hand-unseen",
        "A dataset that a person deleted counts neither as here nor as missing.",
        "ckanext.ukharvest.harvest.records.record_state._STATE",
        "WHEN dataset.state <> 'active' AND NOT record.removed",
        "WHEN false",
        ("tests/ckan/harvest/records/test_record_state.py",),
    ),
    Mutant(
        "run-read-by-two",
        "A run that a consumer reads is not read by a second one.",
        "ckanext.ukharvest.harvest.consumers.claims._unread",
        "            ~_is_worked_on(),\n",
        "",
        ("tests/ckan/patches/test_polling.py",),
    ),
    Mutant(
        "others-starve",
        "Work of ours that goes on for hours leaves other harvesters' messages their turn.",
        "ckanext.ukharvest.patches.consumers._consume",
        "            has_worked = polling.look(kind)\n",
        "            while has_worked := polling.look(kind):\n                pass\n",
        ("tests/ckan/patches/test_polling.py",),
    ),
    Mutant(
        "failed-again-hidden",
        "A run counts the records that failed again, although it does not import them.",
        "ckanext.ukharvest.harvest.run.outcomes._figures",
        '"lost": counted.lost + noted("failed_again")',
        '"lost": counted.lost',
        ("tests/ckan/harvest/records/test_record_rows.py",),
    ),
    Mutant(
        "failed-for-other-reasons",
        "A record that failed for anything but its content is tried again by each run.",
        "ckanext.ukharvest.harvest.batch.items.Failed.put",
        "isinstance(error, FAIL_ALIKE) and ",
        "",
        ("tests/ckan/harvest/records/test_record_rows.py",),
    ),
    Mutant(
        "run-ended-twice",
        "Of several consumers that find nothing left of a run one ends it.",
        "ckanext.ukharvest.harvest.run.run_end._end",
        "        .with_for_update()\n",
        "",
        ("tests/ckan/harvest/run/test_run_end.py",),
    ),
    Mutant(
        "form-without-token",
        "No form of another site sends a test message: each form needs its token.",
        "ckanext.ukharvest.notifications.pages.test",
        "    pages.check_token()\n",
        "",
        ("tests/ckan/security/test_access_routes.py::test_no_form_is_sent_without_its_token",),
    ),
    Mutant(
        "csv-in-caches",
        "No proxy keeps a CSV file, which has more for people who are logged in.",
        "ckanext.ukharvest.lib.pages.csv_response",
        "return prevent_caching(response)",
        "return response",
        ("tests/ckan/security/test_access_routes.py::test_no_proxy_keeps_what_is_for_some",),
    ),
    Mutant(
        "redirects-in-caches",
        "No proxy keeps the redirect to a private source's page.",
        "ckanext.ukharvest.lib.pages.keep_from_caches",
        "is_ours() and not",
        "False and not",
        ("tests/ckan/security/test_access_routes.py::test_no_proxy_keeps_what_is_for_some",),
    ),
    Mutant(
        "rights-of-another-user",
        "What one user may do is not taken for what everybody may, within one request.",
        "ckanext.ukharvest.lib.permissions.may",
        'action, context.get("user") or "", *sorted',
        "action, *sorted",
        ("tests/ckan/previews/test_auth.py::test_link_shows_nothing_that_is_not_public",),
    ),
    Mutant(
        "former-editors",
        "Who has left an organisation has no rights there.",
        "ckanext.ukharvest.lib.permissions._load_roles",
        '            model.Member.state == "active",\n',
        "",
        ("tests/ckan/lib/test_permissions.py", "tests/ckan/security/test_access_routes.py"),
    ),
    Mutant(
        "roles-handed-up",
        "Roles count in the organisations below, not in those above.",
        "ckanext.ukharvest.lib.permissions._BELOW",
        """        SELECT group_id FROM member
         WHERE table_id = ANY (CAST(:ids AS text[])) AND""",
        """        SELECT table_id FROM member
         WHERE group_id = ANY (CAST(:ids AS text[])) AND""",
        ("tests/ckan/lib/test_permissions.py",),
    ),
    Mutant(
        "roles-not-handed-down",
        "An administrator sees what is private in the organisations below.",
        "ckanext.ukharvest.lib.permissions._load_roles",
        "        if ids:",
        "        if False:",
        ("tests/ckan/lib/test_permissions.py",),
    ),
    Mutant(
        "private-source-named",
        "Who adds a source is not told the title of another organisation's private one.",
        "ckanext.ukharvest.sources.rules._other_source",
        "str(text) if row.private else ",
        "",
        ("tests/ckan/sources/test_rules.py",),
    ),
    Mutant(
        "deleted-after-coming-back",
        "A dataset that a run deleted, that came back and that a person deletes stays deleted.",
        "ckanext.ukharvest.harvest.batch.items.Written.put",
        "row.removed, row.written = False, utcnow()",
        "row.written = utcnow()",
        (
            "tests/ckan/harvest/batch/test_import_stage.py::test_gone_records_are_deleted_and_come_back",
        ),
    ),
    Mutant(
        "weekly-mail-by-utc",
        "The weekly mail is sent on Monday at six by the portal's clock, not by UTC.",
        "ckanext.ukharvest.notifications.due.week",
        "ZoneInfo(schedules.portal_zone())",
        'ZoneInfo("UTC")',
        ("tests/ckan/notifications/test_due.py", "tests/ckan/notifications/test_mails.py"),
    ),
    Mutant(
        "times-by-utc",
        "Pages and mails show times by the portal's clock.",
        "ckanext.ukharvest.lib.texts.format_time",
        "utc.astimezone(get_display_timezone())",
        "utc",
        ("tests/ckan/lib/test_texts.py",),
    ),
    Mutant(
        "schedule-by-utc",
        "A source without a time zone of its own starts by the portal's clock.",
        "ckanext.ukharvest.harvest.sources.schedules.portal_zone",
        'str(zone) if schedule.is_zone(zone) else "UTC"',
        '"UTC"',
        ("tests/ckan/notifications/test_due.py",),
    ),
    Mutant(
        "token-in-forms",
        "Each form of a page brings the token without which it is refused.",
        "ckanext/ukharvest/templates/ukharvest/confirm.html",
        "    {{ h.csrf_input() }}\n",
        "",
        ("tests/ckan/security/test_access_routes.py::test_no_other_site_can_frame_a_page",),
    ),
    Mutant(
        "link-of-a-closed-test",
        "A page offers no link for everybody to a test that others may not see.",
        "ckanext/ukharvest/templates/ukharvest/source_preview/page.html",
        "{% if preview.is_open and not under_way %}",
        "{% if not under_way %}",
        ("tests/ckan/previews/test_auth.py",),
    ),
    Mutant(
        "renewed-under-the-hand",
        "A part of a page that somebody is in does not renew itself.",
        "ckanext/ukharvest/assets/pages/live.js",
        " || isRead(part)) return false",
        ") return false",
        ("tests/ckan/sources/test_source_browser.py",),
    ),
    Mutant(
        "asks-after-logout",
        "An open page asks no more once its user may no longer see it.",
        "ckanext/ukharvest/assets/pages/live.js",
        "(isRefused || failed >= MOST_FAILURES)",
        "(failed >= MOST_FAILURES)",
        ("tests/ckan/sources/test_source_browser.py",),
    ),
    Mutant(
        "size-not-exported",
        "The size of a file is in the exported data.json.",
        "ckanext.ukharvest.export.data_json._distribution",
        '"byteSize": resource.size,',
        "",
        (
            "tests/ckan/export/test_dataset.py",
            "tests/ckan/export/test_data_json.py",
            "tests/ckan/export/test_rdf.py",
        ),
    ),
    Mutant(
        "one-click",
        "A mail program can unsubscribe by one request (RFC 8058).",
        "ckanext.ukharvest.notifications.mails.send",
        '                    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",\n',
        "",
        (
            "tests/ckan/notifications/test_mails.py",
            "tests/ckan/notifications/test_actions.py",
            "tests/ckan/notifications/test_model.py",
            "tests/ckan/notifications/test_doctor.py",
        ),
    ),
    Mutant(
        "test-in-caches",
        "No cache stores the page of a test.",
        "ckanext.ukharvest.previews.pages._private",
        "no_store = True",
        "no_store = False",
        ("tests/ckan/previews/test_jobs.py", "tests/ckan/previews/test_rules.py"),
    ),
    Mutant(
        "mails-to-former-editors",
        "Who has left an organisation gets no mails about its sources.",
        "ckanext.ukharvest.notifications.model.people",
        '            model.Member.state == "active",\n',
        "",
        (
            "tests/ckan/notifications/test_mails.py",
            "tests/ckan/notifications/test_actions.py",
            "tests/ckan/notifications/test_model.py",
            "tests/ckan/notifications/test_doctor.py",
        ),
    ),
    Mutant(
        "message-takes-a-run",
        "A message about a run of ours stops no consumer that has claimed it.",
        "ckanext.ukharvest.patches.consumers._consume",
        "            yield message\n",
        "            heart.work_on(__import__('json').loads(message[2])[kind])\n"
        "            yield message\n",
        ("tests/ckan/patches/test_polling.py",),
    ),
    Mutant(
        "trial-stays",
        "A trial of what a run would do leaves nothing behind.",
        "ckanext.ukharvest.harvest.gather.trial.open_trial",
        "is_trial=True",
        "is_trial=False",
        ("tests/ckan/harvest/gather/test_trial.py",),
    ),
    Mutant(
        "undo-drops-edits",
        "Undoing a move keeps what others changed in datasets since.",
        "ckanext.ukharvest.adoption.restore._restore",
        "{*row.edited, *differing_fields(row.after, now)}",
        "set(row.edited)",
        ("tests/ckan/adoption/test_moves_and_back.py",),
    ),
    Mutant(
        "first-version-lost",
        "Undoing a move restores datasets as they were before our first write.",
        "ckanext.ukharvest.harvest.records.changes._KEEP_VERSIONS",
        "COALESCE(old.before, excluded.before)",
        "excluded.before",
        ("tests/ckan/adoption/test_moves_and_back.py",),
    ),
    Mutant(
        "private-becomes-public",
        "New datasets of a private source are private.",
        "ckanext.ukharvest.harvest.batch.preparation._defaults",
        'private=options["visibility"] == "private"',
        "private=False",
        ("tests/ckan/adoption/test_visibility.py",),
    ),
    Mutant(
        "accepted-for-all",
        "What other records get later is listed, unless it was accepted for them too.",
        "ckanext.ukharvest.harvest.sources.accepted_problems._MARK",
        "AND (kind.record_ids IS NULL OR record.id = ANY (kind.record_ids))",
        "AND (true OR record.id = ANY (kind.record_ids))",
        ("tests/ckan/harvest/sources/test_accepted_problems.py",),
    ),
    Mutant(
        "any-moved-file",
        "A file that moved keeps its id only if no other file has its title.",
        "ckanext.ukharvest.mapping.kept_fields._match_moved",
        "times_after[value] == times_before[value] == 1",
        "times_after[value] == times_before[value] >= 1",
        ("tests/mapping/test_resource_matching.py",),
    ),
)
