"""Logs that break one rule of the service's keys and of time journals each."""

from typing import Any

from forge import Forge, Signer
from forge_bytes import root, sha
from forge_removal import receipt_file
from rules import ALICE, BOB, CAROL, founded, right, wrong

NEXT_NOTE, NEXT_RECEIPT = Signer("next note"), Signer("next receipt")
RECEIPT = Signer("receipt")
ROTATION, TIME = 19, 20


def rotation(note: Signer = NEXT_NOTE, receipt: Signer = NEXT_RECEIPT) -> list:
    return [4, note.spki, receipt.spki]


def rotate(forge: Forge, note: Signer = NEXT_NOTE, receipt: Signer = NEXT_RECEIPT) -> Forge:
    """A right rotation, sealed; larger heads are by the new keys."""
    new = [] if receipt.kid == forge.receipt.kid else [receipt]
    keys = [forge.receipt, *new]
    return forge.submit_own(ROTATION, rotation(note, receipt), keys, [ALICE]).seal()


def rotated(forge: Forge) -> Forge:
    """The same, and a block behind it."""
    rotate(forge)
    forge.note, forge.receipt = NEXT_NOTE, NEXT_RECEIPT
    return forge.submit([ALICE]).seal()


def previous(forge: Forge, jsn: int) -> list:
    return [jsn, forge.leaf_hashes()[jsn]]


def time(forge: Forge, before: Any = None, size: int | None = None, token: bytes = b"token") -> list:
    """What a time journal about this size says, or about the head of the log."""
    size = size or forge.jsn
    return [5, size, root(forge.leaf_hashes(size)), before, [1, token]]


def stamp(forge: Forge, before: Any = None, **about: Any) -> Forge:
    return forge.submit_own(TIME, time(forge, before, **about), [forge.receipt]).seal()


@right
def times_one_behind_the_other() -> Forge:
    forge = stamp(founded()).submit([ALICE]).seal()
    return stamp(forge, previous(forge, 2)).submit([BOB]).seal()


@right
def a_time_journal_of_an_earlier_head_and_beside_others() -> Forge:
    forge = founded().submit([ALICE]).seal().submit([ALICE]).seal().submit([ALICE])
    return forge.submit_own(TIME, time(forge, size=4), [forge.receipt]).submit([BOB]).seal()


def entered(file: bytes) -> Forge:
    """A time journal that shows an entry of a ledger which nobody trusts."""
    forge = founded()
    content = time(forge)[:4] + [[2, bytes(32), file, bytes(32), b"body"]]
    return forge.submit_own(TIME, content, [forge.receipt]).seal()


@right
def a_time_journal_by_another_ledger() -> Forge:
    return entered(receipt_file(founded().submit([ALICE]).seal(), 2))


@wrong(2, "TIME_ENTRY_REFUSED")
def a_time_journal_whose_entry_has_no_receipt() -> Forge:
    return entered(b"file")


@right
def a_rotation_at_the_end() -> Forge:
    return rotate(founded())


@right
def a_rotation_and_a_log_behind_it() -> Forge:
    forge = rotated(founded().submit([ALICE]).seal())
    return stamp(forge)


@right
def a_rotation_of_the_note_key_alone() -> Forge:
    forge = rotate(founded(), receipt=RECEIPT)
    forge.note = NEXT_NOTE
    return forge.submit([BOB]).seal()


@right
def a_rotation_and_a_time_in_a_closed_ledger() -> Forge:
    forge = founded()
    forge.submit([ALICE, BOB], [forge.request(kind=25, ext=[10])]).seal()
    stamp(forge)
    rotate(forge)
    forge.note, forge.receipt = NEXT_NOTE, NEXT_RECEIPT
    return stamp(forge, previous(forge, 4))


@wrong(4, "TIME_CHAIN_BROKEN")
def a_time_journal_that_names_none_before() -> Forge:
    return stamp(stamp(founded()))


@wrong(4, "TIME_CHAIN_BROKEN")
def a_time_journal_that_names_one_that_is_not_there() -> Forge:
    forge = founded().submit([ALICE]).seal()
    return stamp(forge, previous(forge, 2))


@wrong(6, "TIME_CHAIN_BROKEN")
def a_time_journal_that_names_an_older_one() -> Forge:
    forge = stamp(founded())
    first = previous(forge, 2)
    stamp(forge, first)
    return stamp(forge, first)


@wrong(5, "TIME_HEAD_WRONG")
def a_time_journal_of_a_size_within_a_block() -> Forge:
    forge = founded().submit([ALICE]).submit([ALICE]).seal()
    return stamp(forge, size=3)


@wrong(3, "TIME_HEAD_WRONG")
def a_time_journal_of_its_own_block() -> Forge:
    forge = founded().submit([ALICE])
    return stamp(forge)


@wrong(4, "TIME_HEAD_WRONG")
def a_time_journal_of_another_root() -> Forge:
    forge = founded().submit([ALICE]).seal()
    content = time(forge)
    content[2] = sha(b"another")
    return forge.submit_own(TIME, content, [forge.receipt]).seal()


@wrong(8, "TIME_HEAD_WRONG")
def a_time_journal_of_a_size_within_the_block_of_the_one_before() -> Forge:
    forge = stamp(founded()).submit([ALICE]).seal()
    stamp(forge, previous(forge, 2))
    return stamp(forge, previous(forge, 6), size=7)


@wrong(2, "ATTESTATION_INVALID")
def a_time_journal_by_the_note_key() -> Forge:
    forge = founded()
    return forge.submit_own(TIME, time(forge), [forge.note]).seal()


@wrong(2, "UNKNOWN_SIGNER")
def a_time_journal_that_the_receipt_key_signed_as_a_member() -> Forge:
    forge = founded()
    return forge.submit_own(TIME, time(forge), [], [forge.receipt]).seal()


@wrong(2, "ATTESTATION_INVALID")
def a_time_journal_that_a_member_signed_too() -> Forge:
    forge = founded()
    return forge.submit_own(TIME, time(forge), [forge.receipt], [ALICE]).seal()


@wrong(2, "ATTESTATION_INVALID")
def an_append_as_the_services_own() -> Forge:
    forge = founded()
    labels = {16: "application/vnd.tallystick.service-request+cose"}
    return forge.submit([ALICE], labels=labels).seal()


@wrong(6, "ATTESTATION_INVALID")
def a_time_journal_by_the_receipt_key_before_the_rotation() -> Forge:
    forge = rotated(founded())
    return forge.submit_own(TIME, time(forge), [RECEIPT]).seal()


@wrong(2, "MALFORMED_LEAF")
def a_time_journal_without_a_token() -> Forge:
    return stamp(founded(), token=b"")


@wrong(2, "MALFORMED_LEAF")
def a_time_journal_with_a_token_that_is_too_long() -> Forge:
    return stamp(founded(), token=bytes(12284))


@wrong(2, "MALFORMED_LEAF")
def a_time_journal_of_one_leaf() -> Forge:
    return stamp(founded(), size=1)


@wrong(2, "ATTESTATION_INVALID")
def a_rotation_without_the_present_key() -> Forge:
    forge = founded()
    return forge.submit_own(ROTATION, rotation(), [NEXT_RECEIPT], [ALICE]).seal()


@wrong(2, "ATTESTATION_INVALID")
def a_rotation_without_the_new_key() -> Forge:
    forge = founded()
    return forge.submit_own(ROTATION, rotation(), [forge.receipt], [ALICE]).seal()


@wrong(2, "ATTESTATION_INVALID")
def a_rotation_without_a_member() -> Forge:
    forge = founded()
    return forge.submit_own(ROTATION, rotation(), [forge.receipt, NEXT_RECEIPT]).seal()


@wrong(4, "ROLE_NOT_ALLOWED")
def a_rotation_without_an_owner() -> Forge:
    forge = founded().add(ALICE, CAROL).seal()
    keys = [forge.receipt, NEXT_RECEIPT]
    return forge.submit_own(ROTATION, rotation(), keys, [CAROL]).seal()


@wrong(2, "SERVICE_KEYS_INVALID")
def a_rotation_to_the_same_keys() -> Forge:
    forge = founded()
    content = rotation(forge.note, forge.receipt)
    return forge.submit_own(ROTATION, content, [forge.receipt], [ALICE]).seal()


@wrong(2, "SERVICE_KEYS_INVALID")
def a_rotation_to_a_members_key() -> Forge:
    return rotate(founded(), note=ALICE)


@wrong(6, "SERVICE_KEYS_INVALID")
def a_rotation_back() -> Forge:
    note = founded().note
    return rotate(rotated(founded()), note, NEXT_RECEIPT)


@wrong(3, "ROTATION_NOT_ALONE")
def a_rotation_behind_a_journal() -> Forge:
    return rotate(founded().submit([ALICE]))


@wrong(3, "ROTATION_NOT_ALONE")
def a_journal_behind_a_rotation() -> Forge:
    forge = founded()
    forge.submit_own(ROTATION, rotation(), [forge.receipt, NEXT_RECEIPT], [ALICE])
    return forge.submit([BOB]).seal()


@wrong(2, "MALFORMED_LEAF")
def a_rotation_to_one_key_for_both() -> Forge:
    return rotate(founded(), NEXT_NOTE, NEXT_NOTE)


@wrong(5, "GRANT_INVALID")
def a_grant_to_a_former_service_key() -> Forge:
    forge = rotate(founded())
    forge.note, forge.receipt = NEXT_NOTE, NEXT_RECEIPT
    grant = [9, 3, RECEIPT.spki, None, None, False, None]
    forge.submit([ALICE])
    return forge.submit([ALICE], [forge.request(kind=24, ext=grant)]).seal()


@wrong(5, "HEAD_INVALID")
def a_head_by_the_keys_before_the_rotation() -> Forge:
    return rotate(founded()).submit([ALICE]).seal()


@wrong(3, "HEAD_INVALID")
def a_head_by_the_new_keys_too_early() -> Forge:
    forge = rotate(founded())
    forge.note, forge.receipt = NEXT_NOTE, NEXT_RECEIPT
    return forge
