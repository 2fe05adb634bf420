"""x"""

from attacks import Family

FAMILY = Family("Bytes on disk")
