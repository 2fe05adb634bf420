"""Attacks on removals: purges, their snapshots and pseudo-geneses, and recalls."""

from attacks import Family

FAMILY = Family("Purge and recall")
