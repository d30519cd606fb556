"""Pages and answers of sites whose type is found out."""

from __future__ import annotations

CKAN_PAGE = '<!doctype html><title>Open Data</title><meta name="generator" content="ckan 2.11">'
DKAN_PAGE = '<title>Data</title><meta name="Generator" content="Drupal 10"><p>DKAN</p>'
ASK, YES = "/sparql?query=ASK%7B%7D", {"head": {}, "boolean": True}
CAPABILITIES = '<Capabilities xmlns="http://www.opengis.net/cat/csw/2.0.2"/>'
