"""x"""

from attacks import Family

FAMILY = Family("Export, certificate, evidence files")
