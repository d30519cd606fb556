"""DKAN sites: 7 with an imitation of CKAN's API, 2 with data.json and a metastore."""
