"""Description documents: which template is taken, how it is filled in, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError, ProtocolError
from ckanext.ukharvest.readers.opensearch.response import Description
from ckanext.ukharvest.readers.opensearch.search import choose, templates
from ckanext.ukharvest.source_types.lists import OPENSEARCH

URL = "https://search.example/osdd.xml"
NAMES = (
    'xmlns="http://a9.com/-/spec/opensearch/1.1/"'
    ' xmlns:g="http://a9.com/-/opensearch/extensions/geo/1.0/"'
    ' xmlns:time="http://a9.com/-/opensearch/extensions/time/1.0/"'
    ' xmlns:eop="http://a9.com/-/opensearch/extensions/eo/1.0/"'
    ' xmlns:p="http://a9.com/-/spec/opensearch/extensions/parameters/1.0/"'
)


def url_of(*elements: str, **given: Any) -> str:
    """Return the URL of the first request."""
    root = etree.fromstring(
        f"<OpenSearchDescription {NAMES}>{''.join(elements)}</OpenSearchDescription>"
    )
    found = Description(URL, templates(root, URL))
    return choose(found, options.validate(given, OPENSEARCH.options)).url()


def url(
    template: str, media_type: str = "application/atom+xml", more: str = "", inside: str = ""
) -> str:
    template = template.replace("&", "&amp;")
    return f'<Url type="{media_type}" template="{template}" {more}>{inside}</Url>'


def test_values_are_encoded_and_empty_parameters_are_left_out() -> None:
    template = (
        "https://a.example/s?q={searchTerms?}&b={g:box?}&t={time:start?}/{time:end?}&x=1&n={count}"
    )
    given = {"search_terms": "a & b", "box": "-1, 50, 2, 51.5", "time_start": "2024-05-01"}
    assert url_of(url(template), **given) == (
        "https://a.example/s?q=a%20%26%20b&b=-1,50,2,51.5&t=2024-05-01/&x=1&n=50"
    )
    assert url_of(url(template)) == "https://a.example/s?x=1&n=50"


def test_a_template_can_be_relative_with_parameters_in_its_path() -> None:
    assert url_of(url("find/{searchTerms?}/all?lang={language}&enc={inputEncoding}")) == (
        "https://search.example/find/all?lang=%2A&enc=UTF-8"
    )
    assert url_of(url("/find/{searchTerms}"), search_terms="../x?") == (
        "https://search.example/find/..%2Fx%3F"
    )


def test_parameters_have_the_usual_prefix_if_declared_otherwise() -> None:
    template = url("/s?p={eop:platform?}&own={custom:level?}")
    given = {"parameters": ["eo:platform=Sentinel-2", "custom:level=2=A"]}
    assert url_of(template, **given) == "https://search.example/s?p=Sentinel-2&own=2%3DA"


def test_a_box_is_sent_as_a_geometry_where_only_that_is_accepted() -> None:
    expected = "https://search.example/s?g=POLYGON%28%280%201,2%201,2%203,0%203,0%201%29%29"
    assert url_of(url("/s?g={g:geometry?}"), box="0,1,2,3") == expected


def test_parameters_that_only_an_element_declares_are_added() -> None:
    inside = (
        '<p:Parameter name="platform" value="{eop:platform}" minimum="0"/>'
        '<p:Parameter name="v" value="{eop:version}" minimum="0"/>'
        '<p:Parameter name="max" value="{count}" maxInclusive="20"/>'
    )
    template = url("/s?q={searchTerms?}", inside=inside)
    assert url_of(template, parameters=["eo:platform=A"]) == (
        "https://search.example/s?platform=A&max=20"
    )


@pytest.mark.parametrize(
    ("inside", "wanted", "sent"),
    [
        ('minInclusive="10" maxInclusive="20"', 50, 20),
        ('minInclusive="10" maxInclusive="20"', 5, 10),
        ("", 7, 7),
    ],
)
def test_the_number_of_records_is_within_what_the_server_accepts(
    inside: str, wanted: int, sent: int
) -> None:
    template = url("/s?n={count?}", inside=f'<p:Parameter name="n" value="{{count}}" {inside}/>')
    assert url_of(template, page_size=wanted).endswith(f"n={sent}")


def test_the_preferred_answer_is_atom_then_geojson() -> None:
    html, json = url("/html", "text/html"), url("/json", "application/json")
    geojson, atom = url("/geo", "application/geo+json"), url("/atom", "application/atom+xml; a=b")
    assert url_of(html, json, geojson, atom).endswith("/atom")
    assert url_of(html, json, geojson).endswith("/geo")
    assert url_of(html, json).endswith("/json")
    assert url_of(html, json, geojson, atom, answer="geojson").endswith("/geo")
    # A template that takes all values is better than the preferred answer.
    both = (url("/atom"), url("/geo?q={searchTerms?}", "application/geo+json"))
    assert url_of(*both, search_terms="a").endswith("/geo?q=a")


def test_collections_are_searched_for_before_products() -> None:
    both = url("/products"), url("/collections", more='rel="collection"')
    assert url_of(*both).endswith("/collections")
    assert url_of(*both, search_for="results").endswith("/products")
    with pytest.raises(ConfigError, match="search_for: .* relation collection"):
        url_of(both[0], search_for="collection")


def test_templates_for_post_are_not_used() -> None:
    both = url("/post", more='p:method="POST"'), url("/get", more='p:method="GET"')
    assert url_of(*both).endswith("/get")
    with pytest.raises(ProtocolError, match="found: none"):
        url_of(both[0])


def test_no_readable_answer_is_an_error_that_names_what_there_is() -> None:
    with pytest.raises(ProtocolError, match=r"found: text/html \(results\)"):
        url_of(url("/html", "text/html"))


@pytest.mark.parametrize(
    ("template", "given", "field", "words"),
    [
        ("/s?q={searchTerms}", {}, "search_terms", "requires a value for searchTerms"),
        ("/s?q={eop:platform}&u={x:y}", {}, "parameters", "a value for eo:platform, x:y"),
        ("/s?q={searchTerms?}", {"box": "0,1,2,3"}, "box", "does not take geo:box; it takes: sea"),
        ("/s?n={count?}", {"parameters": ["eo:x=1"]}, "parameters", "it takes no values"),
    ],
)
def test_values_that_do_not_fit_are_errors_of_the_option(
    template: str, given: dict[str, Any], field: str, words: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        url_of(url(template), **given)
    assert caught.value.field == field
    assert caught.value.message.startswith(f"{field}: the search of {URL}")
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("value", "words"),
    [("C", "expected one of: A, B"), ("A", "")],
)
def test_a_value_is_checked_against_the_servers_list(value: str, words: str) -> None:
    offered = '<p:Option value="A"/><p:Option value="B"/>'
    inside = f'<p:Parameter name="p" value="{{eop:p}}">{offered}</p:Parameter>'
    template = url("/s?p={eop:p?}", inside=inside)
    if not words:
        assert url_of(template, parameters=[f"eo:p={value}"]).endswith("p=A")
        return
    with pytest.raises(ConfigError, match=words):
        url_of(template, parameters=[f"eo:p={value}"])


@pytest.mark.parametrize("value", ["0", "101", "-1"])
def test_a_number_is_checked_against_the_servers_limits(value: str) -> None:
    inside = '<p:Parameter name="c" value="{eop:c}" minInclusive="1" maxInclusive="100"/>'
    with pytest.raises(ConfigError, match="expected 1"):
        url_of(url("/s?c={eop:c?}", inside=inside), parameters=[f"eo:c={value}"])


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("box", "1,2,3"),
        ("box", "0,60,1,50"),
        ("box", "west,south,east,north"),
        ("time_start", "yesterday"),
        ("time_end", "01/05/2024"),
        ("parameters", ["eo:platform"]),
        ("parameters", ["=x"]),
        ("parameters", ["startIndex=5"]),
    ],
)
def test_options_that_cannot_be_meant_are_refused_at_once(option: str, value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        options.validate({option: value}, OPENSEARCH.options)
    assert caught.value.field == option
