"""Database dumps of portals at earlier commits, to be upgraded and harvested again.

A dump is the data of every table with rows, as PostgreSQL's COPY writes it, of one version of CKAN;
the tables come from the migrations. Addresses of publishers are places such as ``http://ckan.here``,
for which a test puts its own. ``bin/test tests/ckan/portal_dumps/make.py`` writes the dumps of the
commit that it is run at, so it is copied to and run at the last commit before a change of what is
stored; dumps are never written again.
"""
