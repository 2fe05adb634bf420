"""What is handed out beside a log: public files, receipts, readings, certificates, evidence.

A false accusation is an attack as well: evidence must convict nobody who did nothing.
"""

from collections.abc import Sequence
from typing import Any

from attacks import By, Evidence, Family, Log, Reading, Receipt
from certificates import CERTIFICATES
from family_forks import history, statement
from family_order import story
from family_time import founded_now, independent
from forge import Forge
from forge_bytes import cbor, consistency, path
from forge_tiles import Files, items, published
from rules import ALICE, batch, founded
from rules_of_clues import named, with_clues
from rules_of_state import kept, put, with_state, writing
from rules_of_time import stamp
from test_tallyverify_clues import lineage_proof_of
from test_tallyverify_state import file_of, shown

FAMILY = Family("Export, certificate, evidence files")


# Public files


def files(forge: Forge) -> Files:
    """The log as its operator publishes it."""
    return published(forge.log())


def exported(forge: Forge, changed: Files, without: str = "") -> Log:
    """The published files, some of them changed, one of them removed."""
    kept_files = {name: data for name, data in files(forge).items() if name != without}
    return Log(kept_files | changed, forge.ledger_id)


def bundle(forge: Forge, kind: str) -> str:
    """Where the one bundle of a small log is."""
    return f"{kind}/000.p/{forge.jsn}"


def prefixed(each: Sequence[bytes]) -> bytes:
    """A bundle of these items."""
    return b"".join(len(item).to_bytes(4, "big") + item for item in each)


def bent(forge: Forge, kind: str, jsn: int) -> Log:
    """One bit of the item of a journal is another."""
    name = bundle(forge, kind)
    found = items(files(forge)[name])
    found[jsn] = found[jsn][:-1] + bytes([found[jsn][-1] ^ 1])
    return exported(forge, {name: prefixed(found)})


@FAMILY.honest
def an_export() -> Log:
    return exported(story(), {})


@FAMILY.attack("publishes another payload", 5, "BODY_MISMATCH")
def a_payload_in_an_export() -> Log:
    return bent(story(), "bodies", 5)


@FAMILY.attack("publishes another signature", 3, "ATTESTATION_MISMATCH")
def a_signature_in_an_export() -> Log:
    forge = story()
    name = bundle(forge, "tile/attest")
    found = items(files(forge)[name])
    found[3] = found[2]
    return exported(forge, {name: prefixed(found)})


@FAMILY.attack("publishes a journal's payload as another's", 5, "BODY_MISMATCH")
def two_payloads_in_an_export_swapped() -> Log:
    forge = story()
    name = bundle(forge, "bodies")
    found = items(files(forge)[name])
    found[5], found[6] = found[6], found[5]
    return exported(forge, {name: prefixed(found)})


@FAMILY.attack("leaves a payload out of the export", 6, "BODY_MISSING")
def a_payload_left_out_of_an_export() -> Log:
    forge = story()
    name = bundle(forge, "bodies")
    found = items(files(forge)[name])
    found[6] = b""
    return exported(forge, {name: prefixed(found)})


@FAMILY.attack("publishes another journal, which a colluding member signed", 3, "WRONG_ROOT")
def a_leaf_in_an_export() -> Log:
    forge, twin = founded().submit([ALICE]).seal(), founded()
    forge.entries[2] = twin.submit([ALICE], [twin.request(b"another")]).entries[2]
    return exported(forge, {})


@FAMILY.attack("leaves the bundle of signatures out", 0, "LOG_TRUNCATED")
def no_signatures_in_an_export() -> Log:
    forge = story()
    return exported(forge, {}, bundle(forge, "tile/attest"))


@FAMILY.attack("cuts the bundle of leaves short", 0, "LOG_MALFORMED")
def a_bundle_cut_short() -> Log:
    forge = story()
    name = bundle(forge, "tile/entries")
    return exported(forge, {name: files(forge)[name][:-1]})


@FAMILY.attack("publishes hash tiles of another log", 11, "LOG_MALFORMED")
def another_hash_tile() -> Log:
    forge = story()
    name = bundle(forge, "tile/0")
    tile = files(forge)[name]
    return exported(forge, {name: tile[32:64] + tile[:32] + tile[64:]})


@FAMILY.attack("publishes the checkpoint of a second history", 10, "HEAD_INVALID")
def a_checkpoint_of_a_second_history() -> Log:
    forge, other = story(), founded().submit([ALICE]).submit([ALICE]).seal()
    other.submit([ALICE], batch(other)).seal().submit([ALICE]).seal()
    return exported(forge, {"checkpoint": other.checkpoint()})


@FAMILY.attack("publishes the checkpoint of another ledger", 0, "WRONG_LEDGER")
def a_checkpoint_of_another_ledger() -> Log:
    other = Forge([ALICE], {3: bytes(32)}).genesis().submit([ALICE]).seal()
    forge = founded().submit([ALICE]).seal()
    return exported(forge, {"checkpoint": other.checkpoint()})


@FAMILY.attack("publishes an older checkpoint again", 3, "TRUSTED_HEAD_CONTRADICTED", By.HEAD)
def an_older_checkpoint() -> Log:
    older, newer = history(b"one"), history(b"one", b"two")
    log = exported(newer, files(older))
    return Log(log.content, newer.ledger_id, newer.params, newer.checkpoint())


# Receipts


def receipt(forge: Forge, jsn: int, leaf: bytes | None = None, **options: Any) -> Receipt:
    """The receipt file of a journal, perhaps with another leaf."""
    file = cbor([9, leaf or forge.entries[jsn][0], forge.receipt_of(jsn, **options)])
    return Receipt(file, forge.ledger_id, forge.params)


@FAMILY.honest
def a_receipt() -> Receipt:
    return receipt(story(), 5)


@FAMILY.attack("gives a receipt for a journal of another payload", None, "BAD_SIGNATURE")
def a_receipt_of_another_payload() -> Receipt:
    forge = story()
    leaf = founded().submit([ALICE], [founded().request(b"another")]).entries[2][0]
    return receipt(forge, 2, leaf)


@FAMILY.attack("gives the receipt of another jsn", None, "WRONG_JSN")
def a_receipt_of_another_jsn() -> Receipt:
    forge = story()
    return receipt(forge, 5, forge.entries[6][0])


@FAMILY.attack("signs a receipt with its note key", None, "WRONG_KEY")
def a_receipt_by_its_note_key() -> Receipt:
    forge = story()
    forge.receipt = forge.note
    return receipt(forge, 5)


@FAMILY.attack("gives a receipt of another ledger", None, "WRONG_LEDGER")
def a_receipt_of_another_ledger() -> Receipt:
    other, forge = Forge([ALICE], {3: bytes(32)}).genesis(), story()
    file = receipt(other.submit([ALICE]).seal(), 2).content
    return Receipt(file, forge.ledger_id, forge.params)


@FAMILY.attack("gives a receipt under a size that it did not sign", None, "WRONG_SIZE")
def a_receipt_of_another_size() -> Receipt:
    forge = story()
    signed = forge.receipt_of(5)
    way = path(5, forge.leaf_hashes(8))
    signed.content[1] = {396: {-1: [cbor([8, 5, way])]}}
    file = cbor([9, forge.entries[5][0], signed])
    return Receipt(file, forge.ledger_id, forge.params)


# Readings of the state


def reading(forge: Forge, key: str, value: bytes | None = None, asked: str = "") -> Reading:
    """What the service shows of a key to somebody who asked for one."""
    file = file_of(forge, key.encode(), value)
    return Reading(file, forge.ledger_id, forge.params, asked or key)


@FAMILY.honest
def a_reading() -> Reading:
    forge = kept()
    return reading(forge, "a", shown(forge, 10, 0, b"2"))


@FAMILY.attack("shows an older value of a key", None, "COMMITMENT_MISMATCH")
def an_older_value() -> Reading:
    forge = kept()
    return reading(forge, "a", shown(forge, 3, 0, b"1"))


@FAMILY.attack("shows a value of its own", None, "COMMITMENT_MISMATCH")
def a_value_of_the_operators() -> Reading:
    forge = kept()
    return reading(forge, "a", shown(forge, 10, 0, b"3"))


@FAMILY.attack("shows a deleted key as present", None, "COMMITMENT_MISMATCH")
def a_deleted_key_with_its_value() -> Reading:
    forge = kept()
    return reading(forge, "b", shown(forge, 3, 1, b"value"))


@FAMILY.attack("answers about another key", None, "ANOTHER_KEY")
def a_reading_of_another_key() -> Reading:
    return reading(kept(), "a", asked="c")


@FAMILY.attack("hides a key from the state, and so from its readings", 3, "WRONG_STATE_ROOT")
def a_key_hidden_from_its_readings() -> Forge:
    forge = with_state()
    forge.submit([ALICE], [writing(forge, put("a"), put("b"))])
    del forge.written[b"b"]
    return forge.seal()


FAMILY.include(CERTIFICATES)


# Evidence


def evidence(forge: Forge, content: Any, authorities: bytes = b"") -> Evidence:
    """A file that is said to convict the service of the ledger."""
    return Evidence(cbor(content), forge.ledger_id, forge.params, authorities)


def claim(
    forge: Forge,
    number: int,
    jsns: Sequence[int],
    more: Sequence[bytes] = (),
    size: int | None = None,
) -> Evidence:
    """Misbehaviour about these leaves under one head."""
    receipts = [cbor([9, forge.entries[jsn][0], forge.receipt_of(jsn, size)]) for jsn in jsns]
    content = [19, number, forge.params, cbor([14, []]), receipts, list(more)]
    return evidence(forge, content, independent().pem if number == 1 else b"")


def misdated(forge: Forge) -> Evidence:
    """A time journal, whose token is said to convict it."""
    token = independent().token(forge.head_lines(forge.jsn))
    return claim(stamp(forge, token=token), 1, [4])


@FAMILY.honest
def evidence_of_a_fork() -> Evidence:
    ours, theirs = history(b"ours"), history(b"theirs")
    return evidence(ours, [10, ours.checkpoint(), statement(theirs), None])


@FAMILY.honest
def evidence_of_a_fork_of_two_sizes() -> Evidence:
    ours, theirs = history(b"ours", b"two", b"three"), history(b"theirs", b"two")
    way = consistency(6, ours.leaf_hashes())
    return evidence(ours, [10, theirs.checkpoint(), ours.checkpoint(), [6, 8, way]])


@FAMILY.honest
def evidence_of_a_wrong_date() -> Evidence:
    return misdated(founded_now(-3_600_000))


@FAMILY.honest
def evidence_of_a_false_signature() -> Evidence:
    forge = founded()
    request = forge.request()
    signed = forge.attest([ALICE], [forge.request(b"another")])
    return claim(forge.submit([], [request], signed).seal(), 2, [2], [signed, ALICE.spki])


@FAMILY.honest
def evidence_of_a_false_seal() -> Evidence:
    forge = founded().submit([ALICE]).seal({6: bytes(32)})
    return claim(forge, 3, [3], size=4)


@FAMILY.honest
def evidence_of_a_journal_left_out() -> Evidence:
    forge = with_clues()
    for text in (b"one", b"two", b"three"):
        forge.submit([ALICE], [named(forge, "invoice", payload=text)])
    forge.clues[forge.clue_id("invoice")].pop(1)
    forge.seal()
    shown_run = lineage_proof_of(forge, "invoice", 0, 2)
    return claim(forge, 4, [3], [forge.clue_id("invoice"), shown_run])


@FAMILY.attack("is accused of a fork with one head twice", None, "MISSING")
def one_head_as_a_fork() -> Evidence:
    forge = history(b"one")
    return evidence(forge, [10, forge.checkpoint(), statement(forge), None])


@FAMILY.attack("is accused of a fork with a head that continues another", None, "MISSING")
def growth_as_a_fork() -> Evidence:
    earlier, later = history(b"one", b"two"), history(b"one", b"two", b"three")
    way = consistency(6, later.leaf_hashes())
    return evidence(later, [10, earlier.checkpoint(), later.checkpoint(), [6, 8, way]])


@FAMILY.attack("is accused of a fork with a head that another key signed", None, "WRONG_KEY")
def a_fork_by_another_key() -> Evidence:
    ours, theirs = history(b"ours"), history(b"theirs")
    theirs.note = ALICE
    return evidence(ours, [10, ours.checkpoint(), theirs.checkpoint(), None])


@FAMILY.attack("is accused of a fork with a head of another ledger", None, "WRONG_ORIGIN")
def a_fork_with_another_ledger() -> Evidence:
    ours, theirs = history(b"ours"), Forge([ALICE], {3: bytes(32)}).genesis()
    return evidence(ours, [10, ours.checkpoint(), theirs.checkpoint(), None])


@FAMILY.attack("is accused of a date that is right", None, "MISSING")
def a_right_date_as_a_wrong_one() -> Evidence:
    return misdated(founded_now())


@FAMILY.attack("is accused of a signature that is good", None, "MISSING")
def a_good_signature_as_a_false_one() -> Evidence:
    forge = founded().submit([ALICE]).seal()
    return claim(forge, 2, [2], [forge.entries[2][1], ALICE.spki])


@FAMILY.attack("is accused with a signature that it never took", None, "COMMITMENT_MISMATCH")
def a_signature_that_was_never_taken() -> Evidence:
    forge = founded()
    signed = forge.attest([ALICE], [forge.request(b"another")])
    return claim(forge.submit([ALICE]).seal(), 2, [2], [signed, ALICE.spki])


@FAMILY.attack("is accused of a seal that is right", None, "MISSING")
def a_right_seal_as_a_false_one() -> Evidence:
    return claim(founded().submit([ALICE]).seal(), 3, [3], size=4)


@FAMILY.attack("is accused of a lineage that is whole", None, "MISSING")
def a_whole_lineage_as_one_with_a_gap() -> Evidence:
    forge = with_clues()
    forge.submit([ALICE], [named(forge, "invoice"), named(forge, "invoice")]).seal()
    shown_run = lineage_proof_of(forge, "invoice", 0, 2)
    return claim(forge, 4, [3], [forge.clue_id("invoice"), shown_run])
