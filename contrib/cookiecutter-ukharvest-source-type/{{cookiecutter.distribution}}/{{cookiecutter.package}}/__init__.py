"""{{ cookiecutter.description }}: a source type of ckanext-ukharvest."""
