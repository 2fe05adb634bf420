"""Occults in forged logs: what one names, who signs it, and bodies that are gone."""

from collections.abc import Sequence
from typing import Any

from forge import Forge, Signer

OCCULT = 22
ERASED = 3
DELAY_MS = 30 * 24 * 3600 * 1000


def journals(forge: Forge, *jsns: int) -> list:
    """A target of journals one by one, each with the leaf hash that it has."""
    hashes = forge.leaf_hashes()
    return [1, [[jsn, hashes[jsn] if jsn < len(hashes) else bytes(32)] for jsn in jsns]]


def of_clue(forge: Forge, clue: str, first: int, last: int) -> list:
    """A target of all journals in a range that name the clue."""
    return [2, forge.clue_id(clue), first, last]


def occult(
    forge: Forge, target: Any, signers: Sequence[Signer], basis: Any = "by law", **options: Any
) -> Forge:
    """An occult in the open block."""
    request = forge.request(kind=OCCULT, ext=[7, target, basis], **options)
    return forge.submit(signers, [request])


def erase(forge: Forge, *jsns: int) -> Forge:
    """Takes the bodies of these journals out of the log, whoever allowed it."""
    for jsn in jsns:
        leaf, attestation, _, _, _, ops = forge.entries[jsn]
        forge.entries[jsn] = [leaf, attestation, ERASED, b"", b"", ops]
    return forge
