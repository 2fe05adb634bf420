"""The ten families of attacks, in the order of the table in docs/audit.md."""

from importlib import import_module

from attacks import Family

MODULES = (
    "disk",
    "order",
    "forks",
    "time",
    "members",
    "service_keys",
    "occult",
    "purge",
    "t_ledgers",
    "files",
)


def families() -> list[Family]:
    """All families; reading them makes no log yet."""
    return [import_module(f"family_{module}").FAMILY for module in MODULES]
