"""Purges of forged logs, right ones and ones of which the operator changed what they say."""

import io
from collections.abc import Sequence
from typing import Any

from forge import Forge, Signer
from forge_bytes import cbor, sha
from forge_purged import Change
from forge_removal import PURGE, purge
from rules import ALICE, BOB
from tallyverify import cbor as strict
from tallyverify.audit import replayed

OWNERS = (ALICE, BOB)
OPERATOR = Signer("operator")
HOUR_MS = 3_600_000


def wanted(forge: Forge, first_kept: int = 8, **options: Any) -> Any:
    """The request of a right purge up to there."""
    return forge.request(kind=PURGE, ext=content(forge, first_kept), **options)


def content(
    forge: Forge,
    first_kept: int,
    absent: Sequence[Signer] = (),
    changed: Change | None = None,
    recall_ms: int = HOUR_MS,
) -> list:
    """What a purge up to there says, perhaps of a snapshot that was changed."""
    seen = replayed(io.BytesIO(forge.log()), forge.ledger_id)
    snapshot = seen.snapshot(first_kept, sorted(signer.kid for signer in absent))
    if changed:
        fields = strict.decode(snapshot)
        changed(fields)
        snapshot = cbor(fields)
    digest = sha(b"tallystick/snapshot/1\0", snapshot)
    return [6, first_kept, seen.height(first_kept), digest, recall_ms]


def purged(forge: Forge, *signers: Signer, **options: Any) -> Forge:
    """A purge up to 8, or up to where the options say, sealed."""
    return purge(forge, options.pop("first_kept", 8), signers or OWNERS, **options).seal()
