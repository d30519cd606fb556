"""Authorisation of our own actions; ckanext-harvest's actions keep theirs."""
