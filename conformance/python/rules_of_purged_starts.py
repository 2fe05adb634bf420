"""Purged logs whose beginning is wrong: the snapshot, the purge, the key chain or the window."""

from forge import EMPTY_CLUE_ROOT, Request
from forge_bytes import cbor, path, sha
from forge_purged import AFFECTED, FRONTIER, KEPT, SEAL, Purged, shown
from forge_removal import DELAY_MS
from rules import ALICE, BOB, CAROL, DAN
from rules_of_purged import INVALID, OWNERS, begun, behind, going_on, turned, wrong
from rules_of_removal import BOTH, READ_ONLY, watched
from tallyverify.cbor import decode


@wrong(0, INVALID, "COMMITMENT_MISMATCH")
def a_purge_of_another_snapshot() -> Purged:
    return begun(named={3: sha(b"another")})


@wrong(0, INVALID, "COMMITMENT_MISMATCH")
def a_snapshot_changed_behind_the_purge() -> Purged:
    log = begun()
    fields = decode(log.snapshot)
    fields[AFFECTED] = []
    log.snapshot = cbor(fields)
    return log


@wrong(0, INVALID, "WRONG_JSN")
def a_purge_up_to_another_journal() -> Purged:
    return begun(named={1: 10, 2: 3})


@wrong(0, INVALID, "WRONG_JSN")
def a_purge_of_another_height() -> Purged:
    return begun(named={2: 1})


@wrong(0, INVALID, "WRONG_LEDGER")
def the_snapshot_of_another_ledger() -> Purged:
    log = begun()
    other = begun(watched(params={3: bytes(32)}))
    log.snapshot, log.window = other.snapshot, other.window
    return log


@wrong(0, INVALID, "WRONG_LEDGER")
def all_of_another_ledger() -> Purged:
    log = begun()
    other = begun(watched(params={3: bytes(32)}))
    log.snapshot, log.window = other.snapshot, other.window
    log.file, log.attestation = shown(other.forge, 8)
    return log


@wrong(0, INVALID, "WRONG_TYPE")
def an_append_in_place_of_the_purge() -> Purged:
    log = going_on(begun())
    log.purge = 10
    return log


@wrong(0, INVALID, "ROOT_MISMATCH")
def another_frontier() -> Purged:
    return begun(change=lambda fields: fields.__setitem__(FRONTIER, [sha(b"x")] * 3))


@wrong(0, INVALID, "ROOT_MISMATCH")
def another_seal() -> Purged:
    forge = watched()
    items = [2, 7, forge.time_ms - 1000, 2, bytes(32), 4, sha(b"root"), EMPTY_CLUE_ROOT, sha(b"")]
    return begun(forge, change=lambda fields: fields.__setitem__(SEAL, cbor(items)))


@wrong(0, INVALID, "NOT_A_MEMBER")
def a_member_who_is_missing_among_the_kept() -> Purged:
    forge = watched()
    forge.time_ms += DELAY_MS
    return behind(forge, 8, BOTH, absent=[BOB], change=lambda fields: fields[KEPT].pop(1))


@wrong(0, INVALID, "WRONG_KEY")
def a_rotation_that_is_missing_among_the_kept() -> Purged:
    forge, rotation = turned()
    log = behind(forge, 12, change=lambda fields: fields[KEPT].pop())
    log.chain = [rotation]
    return log


@wrong(0, INVALID, "WRONG_KEY")
def a_rotation_that_is_missing_in_the_chain() -> Purged:
    return behind(turned()[0], 12)


@wrong(0, INVALID, "WRONG_TYPE")
def a_genesis_that_is_missing_among_the_kept() -> Purged:
    return begun(change=lambda fields: fields[KEPT].pop(0))


@wrong(0, INVALID, "WRONG_TYPE")
def an_append_among_the_kept() -> Purged:
    forge = watched()
    hashes = forge.leaf_hashes()
    kept = [forge.entries[4][0], forge.entries[4][1], path(4, hashes)]
    return begun(forge, change=lambda fields: fields[KEPT].append(kept))


@wrong(0, INVALID, "ROOT_MISMATCH")
def a_kept_journal_with_another_path() -> Purged:
    return begun(change=lambda fields: fields[KEPT][1].__setitem__(2, [sha(b"x")] * 3))


@wrong(0, INVALID, "COMMITMENT_MISMATCH")
def a_kept_journal_with_another_attestation() -> Purged:
    forge = watched()
    return begun(forge, change=lambda fields: fields[KEPT][1].__setitem__(1, forge.entries[4][1]))


@wrong(0, INVALID, "COMMITMENT_MISMATCH")
def a_purge_with_a_signature_less() -> Purged:
    log = begun()
    request = Request(decode(log.forge.entries[8][0])[3], b"", b"")
    log.attestation = log.forge.attest([ALICE], [request])
    return log


@wrong(0, INVALID, "MISSING")
def a_purge_that_an_affected_member_did_not_sign() -> Purged:
    return behind(watched(), 8, [ALICE])


@wrong(0, INVALID, "MISSING")
def a_purge_without_an_owner() -> Purged:
    forge = watched()
    forge.time_ms += DELAY_MS
    return behind(forge, 8, [CAROL], absent=OWNERS)


@wrong(0, INVALID, "MISSING")
def one_absent_and_no_regulator() -> Purged:
    return behind(watched(), 8, [ALICE], absent=[BOB])


@wrong(0, INVALID, "MISSING")
def one_absent_and_a_regulator_of_today() -> Purged:
    return behind(watched(), 8, BOTH, absent=[BOB])


@wrong(0, INVALID, "BROKEN_CHAIN")
def one_absent_who_signed() -> Purged:
    forge = watched()
    forge.time_ms += DELAY_MS
    return behind(forge, 8, [ALICE, BOB, CAROL], absent=[BOB])


@wrong(0, INVALID, "NOT_A_MEMBER")
def a_reader_who_is_not_affected_signed() -> Purged:
    forge = watched().add(ALICE, DAN, READ_ONLY).seal()
    return behind(forge, 10, [ALICE, BOB, DAN])


@wrong(0, INVALID, "NOT_A_MEMBER")
def a_signer_whom_the_key_chain_does_not_show() -> Purged:
    forge = watched().add(ALICE, DAN, 1).seal()
    return behind(forge, 8, [ALICE, BOB, DAN])


@wrong(0, INVALID, "BROKEN_CHAIN")
def a_purge_of_a_permanent_ledger() -> Purged:
    return begun(watched(params={10: {5: 1}}))


@wrong(0, INVALID, "BAD_SIGNATURE")
def a_purge_that_the_service_never_took() -> Purged:
    log = begun()
    receipt = log.forge.receipt_of(8)
    receipt.content[3] = bytes(64)
    log.file = cbor([9, log.forge.entries[8][0], receipt])
    return log


@wrong(0, INVALID, "ROOT_MISMATCH")
def another_window_entry() -> Purged:
    log = begun()
    log.window = [*log.window[:-1], bytes([255] * 32)]
    return log


@wrong(0, INVALID, "WRONG_SIZE")
def a_window_entry_left_out() -> Purged:
    log = begun()
    log.window = log.window[1:]
    return log


@wrong(0, INVALID, "MALFORMED")
def a_window_that_does_not_ascend() -> Purged:
    return begun(window=lambda entries: entries.reverse())


@wrong(0, INVALID)
def a_window_entry_twice() -> Purged:
    return begun(window=lambda entries: entries.insert(0, entries[0]))
