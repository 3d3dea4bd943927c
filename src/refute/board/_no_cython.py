"""Stands in for the `cython` module where it is not installed: nothing is compiled."""

compiled = False
