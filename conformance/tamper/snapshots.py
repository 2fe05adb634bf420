"""Attacks on the snapshot with which a purged log begins; they are part of family_purge."""

from collections.abc import Callable
from typing import Any

from attacks import Assumption, Family, Log
from forge_bytes import cbor
from forge_purged import AFFECTED, FRONTIER, KEPT, PARAMS, SEAL, Change
from forge_removal import PURGE
from left import left, right
from purges import OPERATOR, OWNERS, content, wanted
from rules import ALICE, BOB, CAROL, founded
from rules_of_removal import BOTH, NORMAL, watched

SNAPSHOTS = Family("Snapshots of purged logs")


# Snapshots that nobody signed


def rewritten(operator: str) -> Callable[[Change], Change]:
    """An attack with another snapshot than the purge names."""

    def add(change: Change) -> Change:
        def build() -> Log:
            return right().changed(change).public()

        build.__name__ = change.__name__
        SNAPSHOTS.attack(operator, 0, "PSEUDO_GENESIS_INVALID")(build)
        return change

    return add


@rewritten("leaves a member out of what a purged log begins with")
def a_member_left_out_of_what_is_left(fields: list) -> None:
    del fields[KEPT][1]


@rewritten("gives a member another role in what a purged log begins with")
def another_role_in_what_is_left(fields: list) -> None:
    twin = founded().add(ALICE, CAROL, NORMAL)
    fields[KEPT][1][:2] = twin.entries[2][:2]


@rewritten("slips a member of its own in below a purge")
def a_member_slipped_in_below_a_purge(fields: list) -> None:
    twin = founded().submit([ALICE]).add(OPERATOR, OPERATOR, 1)
    fields[KEPT].append([*twin.entries[3][:2], fields[KEPT][1][2]])


@rewritten("takes the signatures off a grant that a purge keeps")
def a_kept_grant_without_signatures(fields: list) -> None:
    fields[KEPT][1][1] = cbor([])


@rewritten("calls nobody affected by a purge")
def nobody_affected_in_what_is_left(fields: list) -> None:
    fields[AFFECTED] = []


@rewritten("begins a purged log with another ledger's founding")
def another_founding_in_what_is_left(fields: list) -> None:
    fields[PARAMS] = watched(params={3: bytes(32)}).params


@SNAPSHOTS.attack("moves a purge's signatures to another snapshot", 0, "PSEUDO_GENESIS_INVALID")
def a_snapshot_and_a_purge_rewritten() -> Log:
    forge = watched()
    signed = forge.attest(OWNERS, [wanted(forge)])

    def change(fields: list) -> None:
        del fields[KEPT][1]

    request = forge.request(kind=PURGE, ext=content(forge, 8, changed=change))
    return left(forge.submit([], [request], signed).seal(), 8).changed(change).public()


# Snapshots that were signed, and do not hold


def signed(operator: str) -> Callable[[Change], Change]:
    """An attack with a snapshot that all affected signed without a look."""

    def add(change: Change) -> Change:
        def build() -> Log:
            forge = watched()
            request = forge.request(kind=PURGE, ext=content(forge, 8, changed=change))
            return left(forge.submit(OWNERS, [request]).seal(), 8).changed(change).public()

        build.__name__ = change.__name__
        SNAPSHOTS.attack(operator, 0, "PSEUDO_GENESIS_INVALID")(build)
        return change

    return add


@signed("has a snapshot signed that has a grant of the operator's own")
def a_signed_snapshot_with_a_member_more(fields: list) -> None:
    a_member_slipped_in_below_a_purge(fields)


@signed("has a snapshot signed of which a grant is not in the tree")
def a_signed_snapshot_with_another_path(fields: list) -> None:
    fields[KEPT][1][2][0] = bytes(32)


@signed("has a snapshot signed in which a grant has lost its signatures")
def a_signed_snapshot_without_signatures(fields: list) -> None:
    fields[KEPT][1][1] = cbor([])


@signed("has a snapshot signed that begins without genesis")
def a_signed_snapshot_without_genesis(fields: list) -> None:
    del fields[KEPT][0]


@signed("has a snapshot signed of another tree than its seal's")
def a_signed_snapshot_of_another_tree(fields: list) -> None:
    fields[FRONTIER][0] = bytes(32)


@signed("has a snapshot signed with the seal of another block")
def a_signed_snapshot_with_another_seal(fields: list) -> None:
    fields[SEAL] = watched().entries[3][0]


@SNAPSHOTS.unseen(
    "has an owner sign a snapshot that forgets another affected member, and erases the log below",
    Assumption.SNAPSHOTS,
)
def an_affected_member_forgotten_for_ever() -> Log:
    forge = watched()

    def change(fields: list) -> None:
        fields[AFFECTED].remove(BOB.kid)

    request = forge.request(kind=PURGE, ext=content(forge, 8, changed=change))
    return left(forge.submit([ALICE], [request]).seal(), 8).changed(change).public()


def _by(*signers: Any, absent: tuple = ()) -> Log:
    """A purge with the right snapshot that these signed."""
    forge = watched()
    request = forge.request(kind=PURGE, ext=content(forge, 8, absent=absent))
    return left(forge.submit(signers, [request]).seal(), 8, absent=absent).public()


@SNAPSHOTS.attack("purges without an affected member's word", 0, "PSEUDO_GENESIS_INVALID")
def what_is_left_without_an_affected_signer() -> Log:
    return _by(ALICE)


@SNAPSHOTS.attack("purges with one absent and no regulator", 0, "PSEUDO_GENESIS_INVALID")
def what_is_left_without_a_regulator() -> Log:
    return _by(ALICE, absent=(BOB,))


@SNAPSHOTS.attack("purges with one absent and a regulator of today", 0, "PSEUDO_GENESIS_INVALID")
def what_is_left_by_a_regulator_of_today() -> Log:
    return _by(*BOTH, absent=(BOB,))


@SNAPSHOTS.attack("purges without an owner", 0, "PSEUDO_GENESIS_INVALID")
def what_is_left_without_an_owner() -> Log:
    return _by(CAROL, absent=tuple(sorted(OWNERS, key=lambda one: one.kid)))
