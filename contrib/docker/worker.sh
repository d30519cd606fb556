#!/bin/bash
# Run a process beside CKAN's web server in a container of the same image.
#
#   worker.sh COMMAND…                 run a command that does not end
#   worker.sh every SECONDS COMMAND…   run a command again and again
set -euo pipefail

# As CKAN's prerun.py does in the web server's container.
ckan config-tool "$CKAN_INI" "ckan.plugins = $CKAN__PLUGINS"

if [ "$1" != every ]; then
    exec "$@"
fi
seconds=$2
shift 2
child=
trap 'kill -TERM "$child"; wait "$child" || true; exit 0' TERM INT
while true; do
    "$@" &
    child=$!
    wait "$child" || echo "worker.sh: exit code $? of $*" >&2
    sleep "$seconds" &
    child=$!
    wait "$child"
done
