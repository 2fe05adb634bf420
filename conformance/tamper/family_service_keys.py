"""The service's keys changed without its owners, used too long or too early."""

from attacks import By, Family, Log, Receipt
from forge import Forge, Signer
from forge_bytes import cbor
from forge_removal import receipt_file
from rules import ALICE, BOB, CAROL, founded
from rules_of_time import (
    NEXT_NOTE,
    NEXT_RECEIPT,
    ROTATION,
    a_rotation_and_a_log_behind_it,
    a_rotation_of_the_note_key_alone,
    rotate,
    rotated,
    rotation,
    stamp,
)

FAMILY = Family("Service keys")

FAMILY.honest(a_rotation_and_a_log_behind_it)
FAMILY.honest(a_rotation_of_the_note_key_alone)

FAMILY.known("a_rotation_back", "rotates back to a key that it had given up")
FAMILY.known("a_rotation_to_a_members_key", "rotates to a member's key")
FAMILY.known("a_rotation_to_one_key_for_both", "rotates to one key for notes and receipts")
FAMILY.known("a_rotation_behind_a_journal", "rotates in a block with another journal before")
FAMILY.known("a_journal_behind_a_rotation", "enters a journal behind the rotation, in its block")
FAMILY.known("a_head_by_the_keys_before_the_rotation", "signs a head with keys that it gave up")
FAMILY.known("a_head_by_the_new_keys_too_early", "signs with keys that are not in force yet")
FAMILY.known("a_grant_to_a_former_service_key", "makes a former service key a member")
FAMILY.known("the_note_key_as_a_member", "makes its own note key a member")
FAMILY.known("a_receipt_by_the_note_key", "signs the head receipt with the note key")
FAMILY.known(
    "a_time_journal_by_the_receipt_key_before_the_rotation",
    "enters a time journal with a key that it gave up",
)
FAMILY.known("a_time_journal_by_the_note_key", "enters a time journal with the note key")
FAMILY.known("an_append_as_the_services_own", "enters an append as a request of its own")


@FAMILY.attack("rotates to a key that nobody is shown to hold", 2, "ATTESTATION_INVALID")
def a_key_that_nobody_holds() -> Forge:
    return founded().submit_own(ROTATION, rotation(), [Signer("receipt")], [ALICE]).seal()


@FAMILY.attack("rotates its keys without an owner", 2, "ATTESTATION_INVALID")
def a_rotation_without_an_owner() -> Forge:
    forge = founded()
    return forge.submit_own(ROTATION, rotation(), [forge.receipt, NEXT_RECEIPT]).seal()


@FAMILY.attack("rotates keys of a service that it has robbed", 2, "ATTESTATION_INVALID")
def a_rotation_without_the_key_in_force() -> Forge:
    return founded().submit_own(ROTATION, rotation(), [NEXT_RECEIPT], [ALICE]).seal()


@FAMILY.attack("uses stolen keys to sign a second history", 5, "HEAD_INVALID", By.HEAD)
def a_second_history_by_keys_that_were_given_up() -> Log:
    ours, theirs = rotated(Forge([ALICE]).genesis()), rotate(Forge([ALICE]).genesis())
    theirs.submit([ALICE], [theirs.request(b"forged")]).seal()
    return Log(ours.log(), ours.ledger_id, others=(theirs.checkpoint(),))


@FAMILY.attack("leaves its rotation out of the log that goes on", 3, "HEAD_INVALID")
def a_rotation_left_out() -> Forge:
    forge = founded().submit([ALICE]).seal()
    forge.note, forge.receipt = NEXT_NOTE, NEXT_RECEIPT
    return forge


@FAMILY.attack("names keys of its own in genesis", 0, "WRONG_LEDGER")
def other_keys_in_genesis() -> Log:
    pinned = founded().ledger_id
    keys = [Signer("operator's note").spki, Signer("operator's receipt").spki]
    forge = Forge([ALICE], {5: keys})
    forge.note, forge.receipt = Signer("operator's note"), Signer("operator's receipt")
    log = forge.genesis().log()
    return Log(log.replace(forge.ledger_id, pinned, 1), pinned)


@FAMILY.attack("stamps times with the new key, before it is in force", 2, "ATTESTATION_INVALID")
def a_time_journal_by_the_next_key() -> Forge:
    forge = founded()
    forge.receipt = NEXT_RECEIPT
    stamp(forge)
    forge.receipt = Signer("receipt")
    return forge


# Key chains


def shown(forge: Forge, jsn: int, size: int | None = None) -> list[bytes]:
    """A journal as a key chain has it, its receipt by the keys that the forge has now."""
    return [receipt_file(forge, jsn, size), forge.entries[jsn][1]]


def goes_on(forge: Forge, *journals: list[bytes]) -> Receipt:
    """A receipt by the next keys, and a key chain of these journals."""
    forge.note, forge.receipt = NEXT_NOTE, NEXT_RECEIPT
    forge.submit([ALICE]).seal()
    file = receipt_file(forge, forge.jsn - 2)
    return Receipt(file, forge.ledger_id, forge.params, cbor([14, list(journals)]))


def by(forge: Forge, *members: Signer) -> list[bytes]:
    """The journal of a rotation that these members signed."""
    keys = [forge.receipt, NEXT_RECEIPT]
    forge.submit_own(ROTATION, rotation(), keys, members).seal()
    return shown(forge, forge.jsn - 2)


@FAMILY.honest
def a_receipt_behind_a_rotation() -> Receipt:
    forge = founded()
    return goes_on(forge, by(forge, ALICE, BOB))


@FAMILY.attack("leaves the newest rotation out of the key chain", None, "WRONG_KEY")
def a_key_chain_without_its_last() -> Receipt:
    return goes_on(rotate(founded()))


@FAMILY.attack("shows a rotation under a head that the new keys signed", None, "WRONG_SIZE")
def a_rotation_under_a_larger_head() -> Receipt:
    forge = rotate(founded())
    forge.submit([ALICE]).seal()
    forge.receipt = NEXT_RECEIPT
    return goes_on(forge, shown(forge, 2))


@FAMILY.attack("shows a rotation that no owner signed", None, "MISSING")
def a_key_chain_without_an_owner() -> Receipt:
    forge = founded().add(ALICE, CAROL).seal()
    member = shown(forge, 2)
    return goes_on(forge, member, by(forge, CAROL))


@FAMILY.attack("shows a rotation by an owner who is not shown to be one", None, "NOT_A_MEMBER")
def a_key_chain_of_a_stranger() -> Receipt:
    forge = founded()
    return goes_on(forge, by(forge, Signer("operator")))


@FAMILY.attack("shows a signature of a rotation less than it took", None, "COMMITMENT_MISMATCH")
def a_key_chain_with_other_signatures() -> Receipt:
    forge, twin = founded(), founded()
    journal = by(forge, ALICE, BOB)
    journal[1] = by(twin, ALICE)[1]
    return goes_on(forge, journal)
