"""Tests of what is at an address."""
