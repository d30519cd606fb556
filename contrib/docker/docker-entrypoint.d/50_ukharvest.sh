#!/bin/bash
# Make or upgrade the tables. CKAN's start script sources this file after `ckan db init`, each time
# that the web server's container starts.
for plugin in harvest ukharvest; do
    if ! ckan -c "$CKAN_INI" db upgrade -p "$plugin"; then
        echo "The tables of the plugin $plugin could not be upgraded, so CKAN does not start." >&2
        exit 1
    fi
done
