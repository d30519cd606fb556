"""The demo behind bin/demo: a portal that harvests publishers out of this folder.

What runs before the virtual environment exists imports Python's own library, ``stack``, and
``tests.publisher``; ``seed.py`` alone runs inside the environment.
"""
