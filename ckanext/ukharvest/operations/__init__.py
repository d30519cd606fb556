"""Tools for cron and sysadmins: sweeper, notifications, export.

Imports engine and below.
"""
