"""Attacks on removals: occult."""

from attacks import Family

FAMILY = Family("Occult")
