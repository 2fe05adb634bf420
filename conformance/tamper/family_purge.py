"""Attacks on purges, in logs that are shown whole.

An operator that holds no member's key needs members for a purge: an owner who wants it, or some who
sign a snapshot that they did not make themselves. Recalls, and what goes, are in recalls.py, and
what is left of a log after a purge in snapshots.py, purged.py and states.py; all are part of this
family.
"""

from collections.abc import Callable, Sequence
from typing import Any

from attacks import Family
from forge import Forge, Signer
from forge_bytes import cbor, sha
from forge_purged import AFFECTED, COUNT, FRONTIER, KEPT, ROOT, Change
from forge_removal import PURGE, recall
from purged import PURGED
from purges import HOUR_MS, OPERATOR, OWNERS, content, purged, wanted
from recalls import RECALLS
from rules import ALICE, BOB, DAN, founded
from rules_of_people import grant
from rules_of_removal import (
    BOTH,
    NORMAL,
    READ_ONLY,
    REGULATOR,
    a_purge_behind_the_closing,
    a_purge_that_all_affected_signed,
    a_purge_with_one_absent_and_a_regulator,
    a_reader_who_is_affected_signs_a_purge,
    a_second_purge_that_affects_who_signed_since,
    watched,
)
from rules_of_time import stamp
from snapshots import SNAPSHOTS
from states import STATES

FAMILY = Family("Purge and recall")

FAMILY.honest(a_purge_that_all_affected_signed)
FAMILY.honest(a_purge_with_one_absent_and_a_regulator)
FAMILY.honest(a_purge_behind_the_closing)
FAMILY.honest(a_second_purge_that_affects_who_signed_since)
FAMILY.honest(a_reader_who_is_affected_signs_a_purge)

# Who signs, and how far it goes

FAMILY.known("a_purge_without_an_owner", "takes a purge that no owner signed")
FAMILY.known(
    "a_purge_that_an_affected_member_did_not_sign",
    "passes over an affected member, and does not call it absent",
)
FAMILY.known(
    "a_purge_with_one_absent_and_no_regulator", "purges with a member absent, and asks no regulator"
)
FAMILY.known(
    "a_purge_with_one_absent_and_a_regulator_of_today",
    "has an owner appoint a regulator, who stands in for an absent member at once",
)
FAMILY.known("a_purge_within_a_block", "purges up to the middle of a block")
FAMILY.known("a_purge_of_another_block", "names the height of another block than the purge's end")
FAMILY.known("a_purge_while_another_is_open", "purges further while a purge can be recalled")
FAMILY.known("a_purge_not_above_the_last", "purges up to a block below the purge before")
FAMILY.known("a_purge_in_a_permanent_ledger", "purges a permanent ledger")
FAMILY.known("an_occult_of_what_was_purged", "occults a journal that a purge removes already")


@FAMILY.attack("takes a purge that nobody signed", 8, "ATTESTATION_INVALID")
def a_purge_of_nobody() -> Forge:
    forge = watched()
    return forge.submit([], [wanted(forge)], attestation=cbor([])).seal()


@FAMILY.attack("signs a purge with a key that it calls an owner's", 8, "UNKNOWN_SIGNER")
def a_purge_by_the_operator() -> Forge:
    return purged(watched(), ALICE, BOB, OPERATOR)


@FAMILY.attack("purges with an owner who was revoked", 10, "REVOKED_SIGNER")
def a_purge_by_an_owner_who_was_revoked() -> Forge:
    return purged(watched().revoke(ALICE, BOB.kid).seal())


@FAMILY.attack("purges with an owner whose key has expired", 10, "EXPIRED_SIGNER")
def a_purge_by_an_owner_who_has_expired() -> Forge:
    forge = watched()
    return purged(grant(forge, BOB, role=1, until=forge.time_ms).seal())


@FAMILY.attack("lets a reader sign whom the purge does not affect", 10, "ROLE_NOT_ALLOWED")
def a_purge_that_a_reader_signed_too() -> Forge:
    return purged(watched().add(ALICE, DAN, READ_ONLY).seal(), ALICE, BOB, DAN)


@FAMILY.attack("leaves out one of the members who signed a purge", 8, "ATTESTATION_MISMATCH")
def a_purge_with_a_member_stripped() -> Forge:
    forge = watched()
    request = wanted(forge)
    forge.submit(OWNERS, [request]).seal()
    forge.entries[8][1] = forge.attest([ALICE], [request])
    return forge


@FAMILY.attack("moves signatures from a purge to one that goes further", 10, "BAD_SIGNATURE")
def a_purge_further_than_was_signed() -> Forge:
    forge = watched().submit([ALICE]).seal()
    signed = forge.attest(OWNERS, [wanted(forge, 4)])
    return forge.submit([], [wanted(forge, 8)], signed).seal()


@FAMILY.attack("enters a purge that was signed for another ledger", 8, "WRONG_LEDGER")
def a_purge_of_another_ledger() -> Forge:
    forge, other = watched(), watched(params={3: bytes(32)})
    request = wanted(other)
    return forge.submit([], [request], other.attest(OWNERS, [request])).seal()


@FAMILY.attack("keeps a purge until it has expired", 8, "TIME_OUTSIDE_WINDOW")
def a_purge_kept_for_later() -> Forge:
    forge = watched()
    request = wanted(forge)
    forge.time_ms += 61_000
    return forge.submit(OWNERS, [request]).seal()


@FAMILY.attack("purges its own block, too", 9, "PURGE_INVALID")
def a_purge_of_its_own_block() -> Forge:
    forge = watched().submit([ALICE])
    ext = [6, 11, 3, bytes(32), 0]
    return forge.submit(OWNERS, [forge.request(kind=PURGE, ext=ext)]).seal()


@FAMILY.attack("purges what no time journal covers yet", 12, "PURGE_INVALID")
def a_purge_beyond_the_newest_time_journal() -> Forge:
    return purged(stamp(watched()).submit([ALICE]).seal(), first_kept=12)


@FAMILY.honest
def a_purge_up_to_the_newest_time_journal() -> Forge:
    return purged(stamp(watched()).submit([ALICE]).seal())


@FAMILY.attack("puts two purges into one block, with no time for a recall", 9, "PURGE_INVALID")
def two_purges_in_one_block() -> Forge:
    forge = watched()
    first, second = (content(forge, jsn, recall_ms=0) for jsn in (4, 8))
    forge.submit([ALICE], [forge.request(kind=PURGE, ext=first)])
    return forge.submit(OWNERS, [forge.request(kind=PURGE, ext=second)]).seal()


@FAMILY.attack("puts a purge into a batch", 8, "WRONG_BATCH")
def a_purge_in_a_batch() -> Forge:
    forge = watched()
    return forge.submit(OWNERS, [wanted(forge), forge.request()]).seal()


@FAMILY.attack("purges with a time for recalls that no ledger may give", 8, "MALFORMED_LEAF")
def a_purge_with_91_days_for_a_recall() -> Forge:
    return purged(watched(), recall_ms=91 * 24 * HOUR_MS)


def _twice(*second: Signer, absent: Sequence[Signer]) -> Forge:
    """A purge up to 8, Dan a regulator at 10, and a purge up to 13 at 13."""
    forge = purged(watched(), recall_ms=0)
    forge.add(ALICE, DAN, REGULATOR).submit([BOB]).seal()
    return purged(forge, *second, first_kept=13, absent=absent)


@FAMILY.attack(
    "appoints a regulator behind one purge, for one absent at the next", 13, "REGULATOR_TOO_NEW"
)
def a_regulator_younger_than_the_purge_before() -> Forge:
    return _twice(ALICE, DAN, absent=[BOB])


@FAMILY.honest
def a_regulator_older_than_the_purge_before() -> Forge:
    return _twice(*BOTH, absent=[BOB])


@FAMILY.attack("counts a regulator from a purge that was recalled", 12, "REGULATOR_TOO_NEW")
def a_regulator_older_than_a_recalled_purge() -> Forge:
    forge = recall(purged(watched()), 8, [BOB]).seal()
    return purged(forge, *BOTH, first_kept=10, absent=[BOB])


# Snapshots that are not the log's

FAMILY.known("a_purge_with_a_snapshot_of_no_log", "names a digest of no snapshot")


def snapped(operator: str) -> Callable[[Change], None]:
    """An attack on who signs a purge up to 8 without making its snapshot."""

    def add(changed: Change) -> None:
        def build() -> Forge:
            forge = watched()
            ext = content(forge, 8, changed=changed)
            return forge.submit(OWNERS, [forge.request(kind=PURGE, ext=ext)]).seal()

        build.__name__ = changed.__name__
        FAMILY.attack(operator, 8, "SNAPSHOT_WRONG")(build)

    return add


@snapped("leaves a member out of a snapshot")
def a_snapshot_without_a_member(fields: list) -> None:
    del fields[KEPT][1]


@snapped("gives a member another role in a snapshot")
def a_snapshot_with_another_role(fields: list) -> None:
    twin = founded().add(ALICE, watched_regulator(), NORMAL)
    fields[KEPT][1][:2] = twin.entries[2][:2]


@snapped("slips a member of its own into a snapshot")
def a_snapshot_with_a_member_more(fields: list) -> None:
    twin = founded().submit([ALICE]).add(OPERATOR, OPERATOR, 1)
    fields[KEPT].append([*twin.entries[3][:2], fields[KEPT][1][2]])


@snapped("takes the signatures on a member's grant from a snapshot")
def a_snapshot_without_signatures(fields: list) -> None:
    fields[KEPT][1][1] = cbor([])


@snapped("empties a snapshot's window, to enter purged requests again")
def a_snapshot_without_its_window(fields: list) -> None:
    fields[COUNT], fields[ROOT] = 0, sha(b"")


@snapped("takes the frontier of another tree into a snapshot")
def a_snapshot_of_another_tree(fields: list) -> None:
    fields[FRONTIER][0] = bytes(32)


@snapped("calls somebody affected who is not")
def a_snapshot_that_affects_another(fields: list) -> None:
    fields[AFFECTED] = sorted([*fields[AFFECTED], DAN.kid])


def watched_regulator() -> Signer:
    """Whom `watched` makes a regulator."""
    return BOTH[1]


@FAMILY.attack("leaves a member out of those whom a purge affects", 8, "SNAPSHOT_WRONG")
def an_affected_member_left_out() -> Forge:
    forge = watched()
    ext = content(forge, 8, changed=lambda fields: fields[AFFECTED].remove(BOB.kid))
    return forge.submit([ALICE], [forge.request(kind=PURGE, ext=ext)]).seal()


@FAMILY.attack("revokes an affected member, to be rid of its word", 10, "SNAPSHOT_WRONG")
def an_affected_member_revoked() -> Forge:
    forge = watched().revoke(ALICE, BOB.kid).seal()
    return purged(forge, ALICE)


def _replaced(*by: Signer, **options: Any) -> Forge:
    """Bob's key is replaced by Dan's at 8; the next jsn is 10."""
    return grant(watched(), DAN, role=1, replaces=BOB.kid, by=by, **options).seal()


@FAMILY.attack("puts another in an affected member's place", 10, "SNAPSHOT_WRONG")
def a_successor_whom_the_affected_member_did_not_name() -> Forge:
    forge = _replaced(ALICE)

    def changed(fields: list) -> None:
        fields[AFFECTED] = sorted([ALICE.kid, DAN.kid])

    ext = content(forge, 10, changed=changed)
    return forge.submit([ALICE, DAN], [forge.request(kind=PURGE, ext=ext)]).seal()


@FAMILY.honest
def a_successor_whom_the_affected_member_named() -> Forge:
    return purged(_replaced(ALICE, BOB), ALICE, DAN, first_kept=10)


@FAMILY.attack("signs the snapshot of another ledger", 8, "SNAPSHOT_WRONG")
def a_snapshot_of_another_ledger() -> Forge:
    forge, other = watched(), watched(params={3: bytes(32)})
    return forge.submit(OWNERS, [forge.request(kind=PURGE, ext=content(other, 8))]).seal()


@FAMILY.attack("forgets whom a purge affected that was recalled", 14, "SNAPSHOT_WRONG")
def who_was_affected_by_a_recalled_purge() -> Forge:
    forge = recall(purged(watched()), 8, [BOB]).seal().submit([ALICE]).seal()
    ext = content(forge, 14, changed=lambda fields: fields[AFFECTED].remove(BOB.kid))
    return forge.submit([ALICE], [forge.request(kind=PURGE, ext=ext)]).seal()


@FAMILY.honest
def a_purge_of_what_expires_at_its_seal() -> Forge:
    forge = founded()
    last = {5: forge.time_ms - 60_000, 6: forge.time_ms}
    forge.submit([ALICE], [forge.request(header=last)]).seal()
    return purged(forge, ALICE, first_kept=4)


def _valued() -> Forge:
    """A purge at 5 of the journal that wrote "key"; the next jsn is 7."""
    shape = {10: {2: 1}, 11: [16, 1, 4, 4, 1]}
    forge = founded(params=shape).submit([ALICE])
    forge.submit([ALICE], [forge.request(ops=[(b"key", b"old", None)])]).seal()
    return purged(forge, ALICE, first_kept=5)


@FAMILY.honest
def a_purge_of_a_ledger_with_a_state() -> Forge:
    forge = _valued()
    return forge.submit([ALICE], [forge.request(ops=[(b"key", b"new", None)])]).seal()


@FAMILY.attack("takes the values of purged journals from the state", 8, "WRONG_STATE_ROOT")
def values_forgotten_by_a_purge() -> Forge:
    forge = _valued().submit([ALICE])
    forge.written[b"key"] = [False, None, 0, 7]
    return forge.seal()


# Replays


@FAMILY.attack("enters a purge again that was recalled", 12, "REPLAYED")
def a_recalled_purge_entered_again() -> Forge:
    forge = watched()
    request = wanted(forge)
    forge.submit(OWNERS, [request]).seal()
    return recall(forge, 8, [BOB]).seal().submit(OWNERS, [request]).seal()


@FAMILY.attack("enters a request again that was purged", 6, "REPLAYED")
def a_purged_request_entered_again() -> Forge:
    forge = founded()
    request = forge.request(b"pay")
    purged(forge.submit([BOB], [request]).seal(), first_kept=4)
    return forge.submit([BOB], [request]).seal()


FAMILY.include(RECALLS)
FAMILY.include(SNAPSHOTS)
FAMILY.include(PURGED)
FAMILY.include(STATES)
