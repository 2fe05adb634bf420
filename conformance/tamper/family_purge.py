"""Attacks on removals: purge and recall."""

from attacks import Family

FAMILY = Family("Purge and recall")
