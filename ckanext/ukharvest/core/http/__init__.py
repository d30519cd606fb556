"""The only network access of a harvest: client, connection, guard, body, limits.

Every request of a harvest goes through ``client.HttpClient``; nothing else may open a connection.
Imports core alone.
"""
