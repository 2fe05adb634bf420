"""Journals dropped, moved, doubled and slipped in; logs cut off.

What is dropped here is signed over by something that stays: a batch, a seal, a clue, the state. The
family of forks has what is sealed anew without a trace.
"""

from attacks import By, Family, Log
from forge import Forge, Signer
from forge_bytes import cbor
from rules import ALICE, BOB, batch, founded
from rules_of_clues import named, told, with_clues

FAMILY = Family("Order and truncation")


def story() -> Forge:
    """Two members, single journals and a batch, in three blocks."""
    forge = founded().submit([ALICE]).submit([BOB]).seal()
    forge.submit([ALICE], batch(forge)).seal()
    return forge.submit([BOB]).seal()


FAMILY.honest(story)
FAMILY.honest(told)


@FAMILY.attack("leaves a journal of a batch out and seals the others", 7, "WRONG_BATCH")
def a_batch_that_lost_one() -> Forge:
    forge = founded().submit([ALICE]).submit([BOB]).seal()
    forge.submit([ALICE], batch(forge)).entries.pop()
    return forge.seal()


@FAMILY.attack("changes the order of two journals of a batch", 2, "BAD_SIGNATURE")
def a_batch_in_another_order() -> Forge:
    forge = founded()
    first, second, third = batch(forge)
    signed = forge.attest([ALICE], [first, second, third])
    return forge.submit([], [first, third, second], signed).seal()


@FAMILY.attack("swaps two journals and their numbers under the old seal", 5, "WRONG_JSN")
def two_journals_swapped() -> Forge:
    forge = story()
    forge.entries[5], forge.entries[6] = forge.entries[6], forge.entries[5]
    return forge


@FAMILY.attack("renumbers two journals that it has swapped, under the old seal", 4, "WRONG_ROOT")
def two_journals_swapped_and_renumbered() -> Forge:
    forge = founded()
    requests = [forge.request(text) for text in (b"first", b"second")]
    forge.submit([ALICE], requests[:1]).submit([BOB], requests[1:]).seal()
    twin = founded()
    twin.submit([BOB], requests[1:]).submit([ALICE], requests[:1])
    forge.entries[2:4] = twin.entries[2:4]
    return forge


@FAMILY.attack("enters a member's request a second time", 6, "REPLAYED")
def a_journal_doubled() -> Forge:
    forge = founded()
    request = forge.request()
    signed = forge.attest([ALICE], [request])
    forge.submit([], [request], signed).submit([BOB]).seal().submit([BOB])
    return forge.submit([], [request], signed).seal()


@FAMILY.attack("slips in a journal that it signed with a key of its own", 3, "UNKNOWN_SIGNER")
def a_journal_of_the_operator() -> Forge:
    return founded().submit([ALICE]).submit([Signer("operator")]).seal()


@FAMILY.attack("slips in a journal of another ledger of the same members", 3, "WRONG_LEDGER")
def a_journal_of_another_ledger() -> Forge:
    other = Forge([ALICE, BOB], {3: bytes(32)}).genesis()
    request = other.request()
    signed = other.attest([ALICE], [request])
    return founded().submit([ALICE]).submit([], [request], signed).seal()


@FAMILY.attack("cuts the log off within a block and signs what is left", 5, "UNSEALED_END")
def an_end_within_a_block() -> Forge:
    return founded().submit([ALICE]).seal().submit([ALICE]).submit([BOB])


@FAMILY.attack("shows fewer leaves than it states", 6, "LOG_TRUNCATED")
def fewer_leaves_than_stated() -> bytes:
    forge = story()
    stated = forge.jsn.to_bytes(8, "big")
    forge.entries = forge.entries[:6]
    heads = bytes(8)  # the lengths of a checkpoint and a receipt of no bytes
    log = forge.log(checkpoint=b"", head_receipt=b"").removesuffix(heads)
    return log[:48] + stated + log[56:]


@FAMILY.attack("shows the signed head of a longer log beside a shorter one", 4, "HEAD_INVALID")
def a_head_of_a_longer_log() -> bytes:
    forge = founded().submit([ALICE]).submit([BOB]).seal()
    entries = list(forge.entries)
    forge.submit([ALICE]).seal()
    note, head = forge.checkpoint(), cbor(forge.receipt_of(forge.jsn - 1))
    forge.entries = entries
    return forge.log(note, head)


@FAMILY.attack("leaves a seal out, so that two blocks become one", 3, "BROKEN_BLOCK")
def two_blocks_made_one() -> Forge:
    forge = founded().submit([ALICE]).seal()
    forge.entries.pop()
    forge.first_jsn, forge.height = 2, 1
    forge.previous = forge.leaf_hashes()[1]
    forge.time_ms += 1
    return forge.submit([BOB]).submit([ALICE]).seal()


@FAMILY.attack("leaves a block out and counts on", 5, "WRONG_HEIGHT")
def a_height_left_out() -> Forge:
    forge = founded().submit([ALICE]).seal().submit([BOB])
    return forge.seal({3: 1})


@FAMILY.attack("seals a block onto another chain of seals", 5, "BROKEN_CHAIN")
def another_seal_before() -> Forge:
    return founded().submit([ALICE]).seal().submit([BOB]).seal({4: bytes(32)[:31] + b"\1"})


@FAMILY.attack("withholds a journal from the clue that it names", 5, "WRONG_FEATURE_ROOT")
def a_journal_withheld_from_its_clue() -> Forge:
    forge = with_clues()
    for text in (b"one", b"two", b"three"):
        forge.submit([ALICE], [named(forge, "invoice", payload=text)])
    own = forge.clue_id("invoice")
    forge.clues[own].pop(1)
    return forge.seal()


FAMILY.known("a_write_withheld_from_the_state", "withholds a write from the state")
FAMILY.known("operations_in_another_order", "changes the order of two operations")
FAMILY.known("params_of_another_ledger", "shows another ledger under the pinned id")


@FAMILY.attack(
    "shows a shorter log than the one that the auditor saw",
    3,
    "TRUSTED_HEAD_CONTRADICTED",
    By.HEAD,
)
def an_end_withdrawn() -> Log:
    forge = founded().submit([ALICE]).seal()
    shorter = forge.log()
    trusted = forge.submit([BOB]).seal().checkpoint()
    return Log(shorter, forge.ledger_id, forge.params, trusted)
