"""The services and virtual environments behind bin/stack, bin/test and bin/demo.

It runs before anything is installed, so it imports only Python's own library.
"""
