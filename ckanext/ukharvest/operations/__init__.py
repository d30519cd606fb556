"""Tools for cron and sysadmins: sweeper, doctor, notifications, dashboard.

Imports engine and below.
"""
