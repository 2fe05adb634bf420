"""x"""

from attacks import Family

FAMILY = Family("T-Ledger and witnesses")
