"""Attacks on what is left of a log after a purge; they are part of family_purge.

The log begins with a snapshot that members signed by its hash. What is below, nobody can see again.
"""

from dataclasses import replace

from attacks import By, Family, Log
from forge import Forge
from forge_bytes import sha
from forge_purged import AFFECTED, COUNT, ROOT
from forge_removal import PURGE, erase, recall, receipt_file
from forge_tiles import hash_tiles, published
from left import Left, again, key_chain, left, right, story, until
from purges import OPERATOR, OWNERS, content, purged, wanted
from rules import ALICE, BOB, CAROL, DAN, founded
from rules_of_people import close
from rules_of_removal import watched
from rules_of_time import rotated, stamp

PURGED = Family("What is left after a purge")


@PURGED.honest
def what_is_left_in_public_files() -> Log:
    return right().public()


@PURGED.honest
def what_is_left_in_a_saved_copy() -> bytes:
    return right().log()


@PURGED.honest
def what_is_left_behind_an_older_head() -> Log:
    here = right()
    return here.public(until(here.forge, 4))


@PURGED.honest
def what_is_left_behind_the_head_that_it_begins_at() -> Log:
    here = right()
    return here.public(until(here.forge, 8))


# The files of a removal


@PURGED.attack("shows the receipt of another journal as the purge's", 0, "PSEUDO_GENESIS_INVALID")
def an_append_in_a_purges_place() -> Log:
    here = right()
    return replace(here, file=receipt_file(here.forge, 10)).public()


@PURGED.attack("shows another's signatures as the purge's", 0, "PSEUDO_GENESIS_INVALID")
def anothers_signatures_on_a_purge() -> Log:
    here = right()
    return replace(here, attestation=here.forge.entries[10][1]).public()


@PURGED.attack("signs a purge's receipt with its note key", 0, "PSEUDO_GENESIS_INVALID")
def a_purges_receipt_by_the_note_key() -> Log:
    here = right()
    twin = again(here.forge)
    twin.receipt = twin.note
    return replace(here, file=receipt_file(twin, 8)).public()


@PURGED.attack("begins with the purge of another ledger", 0, "PSEUDO_GENESIS_INVALID")
def what_is_left_of_another_ledger() -> Log:
    here, other = right(), left(purged(watched(params={3: bytes(32)})), 8)
    parts = {"pseudo-genesis": other.pseudo_genesis(), "snapshot/window": b"".join(other.window)}
    return Log(here.files() | parts, here.forge.ledger_id)


def _two() -> tuple[Left, Left]:
    """What is left after a purge at 8 up to 4, and after one at 10 up to 10."""
    forge = purged(watched(), ALICE, first_kept=4, recall_ms=0)
    purged(forge, first_kept=10)
    return left(forge, 8, 4), left(forge, 10, 10)


@PURGED.honest
def what_is_left_after_a_second_purge() -> Log:
    return _two()[1].public()


@PURGED.attack("erases up to a second purge, and begins with the first", 4, "BODY_MISSING")
def what_is_left_with_the_purge_before() -> Log:
    first, second = _two()
    parts = {"pseudo-genesis": first.pseudo_genesis(), "snapshot/window": b"".join(first.window)}
    return Log(second.files() | parts, second.forge.ledger_id)


@PURGED.attack("erases by a purge, and leaves out what shows it", 2, "BODY_MISSING")
def what_is_left_without_what_it_begins_with() -> Log:
    return right().public(without="pseudo-genesis")


@PURGED.attack("shows what is left as if it were all", 0, "WRONG_JSN")
def what_is_left_as_a_whole_log() -> Log:
    here = right()
    whole = again(here.forge)
    whole.entries = whole.entries[8:]
    return Log(whole.log(), here.forge.ledger_id)


@PURGED.attack("carries out a purge that was recalled", 10, "PSEUDO_GENESIS_INVALID")
def what_is_left_by_a_recalled_purge() -> Log:
    return left(recall(purged(watched()), 8, [ALICE]).seal(), 8).public()


@PURGED.honest
def what_is_left_by_the_purge_behind_a_recall() -> Log:
    forge = recall(purged(watched()), 8, [ALICE]).seal()
    return left(purged(forge), 12).public()


@PURGED.attack("has another journal where the purge was", 8, "PSEUDO_GENESIS_INVALID")
def another_journal_in_a_purges_place() -> Log:
    forge = watched()
    twin = again(forge).submit([ALICE]).seal()
    return replace(left(purged(forge), 8), forge=twin).public()


@PURGED.attack("cuts the log off before its purge", 9, "PSEUDO_GENESIS_INVALID")
def what_is_left_cut_off_before_its_purge() -> Log:
    here = left(purged(watched().submit([ALICE]).seal()), 10)
    return replace(here, forge=until(here.forge, 10)).public()


@PURGED.attack("cuts the log off where it begins", 7, "LOG_TRUNCATED")
def what_is_left_is_nothing() -> Log:
    here = right()
    return replace(here, forge=until(here.forge, 8)).public()


def _rotated() -> Left:
    """The service's keys were rotated at 8, below the purge at 12."""
    forge = purged(rotated(watched()), first_kept=12)
    return left(forge, 12, 12, chain=key_chain(forge, 8))


@PURGED.honest
def what_is_left_behind_a_rotation() -> Log:
    return _rotated().public()


@PURGED.attack("leaves its rotation out beside a purged log", 0, "PSEUDO_GENESIS_INVALID")
def what_is_left_without_its_rotation() -> Log:
    return replace(_rotated(), chain=[]).public()


def _granted() -> Left:
    """Dan became an owner between the purge's end and the purge at 10."""
    forge = purged(watched().add(ALICE, DAN, 1).seal(), ALICE, BOB, DAN)
    return left(forge, 10, chain=key_chain(forge, 8))


@PURGED.honest
def what_is_left_by_an_owner_of_today() -> Log:
    return _granted().public()


@PURGED.attack("does not show why a purge's signer is a member", 0, "PSEUDO_GENESIS_INVALID")
def what_is_left_without_a_signers_grant() -> Log:
    return replace(_granted(), chain=[]).public()


# The window of used signatures


@PURGED.attack("leaves the window of used signatures out", 0, "LOG_TRUNCATED")
def what_is_left_without_its_window() -> Log:
    return right().public(without="snapshot/window")


@PURGED.attack("empties the window of used signatures", 0, "PSEUDO_GENESIS_INVALID")
def an_empty_window() -> bytes:
    return replace(right(), window=[]).log()


@PURGED.attack("empties window and snapshot", 0, "PSEUDO_GENESIS_INVALID")
def an_empty_window_and_its_snapshot() -> Log:
    def change(fields: list) -> None:
        fields[COUNT], fields[ROOT] = 0, sha(b"")

    return replace(right().changed(change), window=[]).public()


@PURGED.attack("leaves one signature out of the window", 0, "PSEUDO_GENESIS_INVALID")
def a_window_without_one() -> Log:
    here = right()
    return replace(here, window=here.window[1:]).public()


@PURGED.attack("changes the order of the window", 0, "PSEUDO_GENESIS_INVALID")
def a_window_in_another_order() -> Log:
    here = right()
    return replace(here, window=here.window[::-1]).public()


@PURGED.attack("enters a request again whose first journal is gone", 6, "REPLAYED")
def a_request_again_that_is_gone() -> Log:
    forge = founded()
    request = forge.request(b"pay")
    purged(forge.submit([BOB], [request]).seal(), first_kept=4)
    return left(forge.submit([BOB], [request]).seal(), 4, 4).public()


# What goes on


@PURGED.attack("erases a body above the purge as well", 10, "BODY_MISSING")
def a_body_gone_above_what_is_gone() -> Log:
    return left(erase(story(), 10), 8).public()


@PURGED.attack("changes a body above the purge", 10, "BODY_MISMATCH")
def a_body_changed_above_what_is_gone() -> bytes:
    forge = story()
    forge.entries[10][4] = forge.request(b"another").body
    return left(forge, 8).log()


@PURGED.attack("goes on with a member that it added itself", 12, "UNKNOWN_SIGNER")
def a_member_of_the_operators_above_what_is_gone() -> Log:
    return left(story().add(OPERATOR, OPERATOR).seal(), 8).public()


@PURGED.attack("goes on with a member who was revoked below the purge", 12, "REVOKED_SIGNER")
def a_revocation_forgotten_by_a_purge() -> Log:
    forge = purged(watched().revoke(ALICE, CAROL.kid).seal(), first_kept=10)
    return left(forge.submit([CAROL]).seal(), 10, 10).public()


@PURGED.attack("goes on with a ledger that was closed below the purge", 12, "LEDGER_CLOSED")
def a_closing_forgotten_by_a_purge() -> Log:
    forge = purged(close(watched(), *OWNERS).seal(), first_kept=10)
    return left(forge.submit([ALICE]).seal(), 10, 10).public()


@PURGED.honest
def what_is_left_of_a_deleted_ledger() -> Log:
    forge = purged(close(watched(), *OWNERS).seal(), first_kept=10)
    return left(forge, 10, 10).public()


@PURGED.attack("seals the first block kept without the seal before", 9, "BROKEN_CHAIN")
def another_seal_before_what_is_left() -> Log:
    forge = purge_unsealed()
    return left(forge.seal({4: bytes(32)}), 8).public()


def purge_unsealed() -> Forge:
    """A purge at 8, whose block is open."""
    forge = watched()
    return forge.submit(OWNERS, [wanted(forge)])


@PURGED.attack("purges what no time journal covered, and erases it", 12, "PURGE_INVALID")
def what_is_left_beyond_the_newest_time_journal() -> Log:
    forge = stamp(watched()).submit([ALICE]).seal()
    return left(purged(forge, first_kept=10), 12, 10).public()


@PURGED.attack("purges further by a snapshot of its own", 10, "SNAPSHOT_WRONG")
def a_second_snapshot_that_is_not_the_logs() -> Log:
    forge = purged(watched(), ALICE, first_kept=4, recall_ms=0)
    ext = content(forge, 10, changed=lambda fields: fields[AFFECTED].remove(BOB.kid))
    forge.submit([ALICE], [forge.request(kind=PURGE, ext=ext)]).seal()
    return left(forge, 8, 4).public()


# Hashes that stay


@PURGED.attack("changes a hash of what is gone", 12, "LOG_MALFORMED")
def a_hash_tile_below_a_purge() -> Log:
    here = right()
    hashes = here.forge.leaf_hashes()
    hashes[4] = bytes(32)
    return Log(here.files() | hash_tiles(hashes), here.forge.ledger_id)


@PURGED.attack("changes a journal below a purge and its hash", 12, "LOG_MALFORMED")
def a_journal_and_its_hash_below_a_purge() -> Log:
    here = right()
    twin, other = again(here.forge), again(watched())
    other.entries = other.entries[:4]
    twin.entries[4][0] = other.submit([ALICE]).entries[4][0]
    bundle = f"tile/entries/000.p/{twin.jsn}"
    parts = hash_tiles(twin.leaf_hashes()) | {bundle: published(twin.log())[bundle]}
    return Log(here.files() | parts, twin.ledger_id)


@PURGED.attack(
    "purges a history that was rewritten before", 3, "TRUSTED_HEAD_CONTRADICTED", By.HEAD
)
def a_history_rewritten_below_a_purge() -> Log:
    return right().public(until(watched(), 4))


@PURGED.attack("begins with another tree than was seen", 7, "TRUSTED_HEAD_CONTRADICTED", By.HEAD)
def another_tree_where_a_purged_log_begins() -> Log:
    return right().public(watched())


@PURGED.attack(
    "purges one history for one auditor, and goes on otherwise for another",
    11,
    "OTHER_HEAD_CONTRADICTED",
    By.HEAD,
)
def two_histories_behind_a_purge() -> Log:
    here = purged(watched())
    theirs = again(here).submit([BOB]).seal()
    ours = left(here.submit([ALICE]).seal(), 8)
    return replace(ours.public(), others=(theirs.checkpoint(),))


@PURGED.attack(
    "purges another history than somebody saw up to there",
    7,
    "OTHER_HEAD_CONTRADICTED",
    By.HEAD,
)
def two_histories_up_to_a_purge() -> Log:
    return replace(right().public(), others=(watched().checkpoint(),))


@PURGED.attack(
    "purges one of two histories, of which somebody else saw the other",
    3,
    "OTHER_HEAD_CONTRADICTED",
    By.HEAD,
)
def two_histories_below_a_purge() -> Log:
    return replace(right().public(), others=(until(watched(), 4).checkpoint(),))


@PURGED.honest
def what_is_left_beside_heads_of_others() -> Log:
    here = right()
    heads = tuple(until(here.forge, size).checkpoint() for size in (4, 8, 10))
    return replace(here.public(), others=heads)


@PURGED.attack("shows a purge's receipt of a second history", 11, "PSEUDO_GENESIS_INVALID")
def a_purges_receipt_of_a_second_history() -> Log:
    here = right()
    theirs = again(until(here.forge, 10)).submit([BOB]).seal()
    return replace(here, file=receipt_file(theirs, 8)).public()
