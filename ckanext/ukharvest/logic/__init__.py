"""Actions, auth functions, schemas and validators, in the modules where CKAN looks for them."""
