"""Attacks on occults: signers, targets or times that the rules forbid, bodies gone without one."""

from attacks import Family

FAMILY = Family("Occult")
