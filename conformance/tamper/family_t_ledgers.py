"""Heads in a T-Ledger, time journals that show them, and cosignatures of witnesses."""

import base64
from typing import Any

from attacks import Assumption, By, Family, Log
from family_time import founded_now
from forge import Forge, Signer
from forge_bytes import cbor, consistency, path, root, sha
from rules import ALICE, CAROL

FAMILY = Family("T-Ledger and witnesses")
ENTRY = {1: "application/vnd.tallystick.head+cbor"}
PUBLIC_AND_PERMANENT = {7: True, 10: {1: 1, 5: 1}}


def t_ledger(params: dict[int, Any] = PUBLIC_AND_PERMANENT) -> Forge:
    """A T-Ledger with its own service keys, founded by Carol."""
    note, receipt = Signer("T-Ledger's note"), Signer("T-Ledger's receipt")
    forge = Forge([CAROL], {3: sha(b"T-Ledger"), 5: [note.spki, receipt.spki]} | params)
    forge.note, forge.receipt = note, receipt
    return forge.genesis()


def submitter(blocks: int = 2) -> Forge:
    """A ledger whose heads go to the T-Ledger."""
    forge = Forge([ALICE]).genesis()
    for block in range(blocks):
        forge.submit([ALICE], [forge.request(b"block %d" % block)]).seal()
    return forge


def sealed_ms(forge: Forge) -> int:
    """The time of the newest block."""
    return forge.time_ms - 1000


def entry(forge: Forge, since: int | None = None, note: bytes | None = None) -> list[Any]:
    """The newest head as an entry, which continues the head of a size."""
    hashes = forge.leaf_hashes()
    growth = None if since is None else [since, consistency(since, hashes)]
    way = path(forge.jsn - 1, hashes)
    return [22, note or forge.checkpoint(), forge.entries[-1][0], way, growth]


def keep(
    holder: Forge, forge: Forge, payload: list[Any], late_ms: int = 0, clue: str | None = None
) -> Forge:
    """The T-Ledger takes an entry, so long after the head was sealed."""
    holder.time_ms = max(holder.time_ms, sealed_ms(forge) + late_ms)
    clues = [clue or forge.ledger_id.hex()]
    request = holder.request(cbor(payload), body=ENTRY, clues=clues)
    return holder.submit([CAROL], [request]).seal(step_ms=0)


def audited(holder: Forge, *submitters: Forge, **more: Any) -> Log:
    """The T-Ledger, shown to an auditor who has the keys of these submitters."""
    params = tuple(each.params for each in submitters)
    return Log(holder.log(), holder.ledger_id, submitters=params, **more)


def grown() -> tuple[Forge, Forge]:
    """A T-Ledger with one head of a ledger, which then has grown by a block."""
    forge = submitter()
    holder = keep(t_ledger(), forge, entry(forge))
    return holder, forge.submit([ALICE]).seal()


@FAMILY.honest
def two_heads_of_a_ledger() -> Log:
    holder, forge = grown()
    return audited(keep(holder, forge, entry(forge, 6)), forge)


@FAMILY.attack("lets a ledger's head continue another one than its last", 4, "HEAD_ENTRY_INVALID")
def an_entry_that_passes_over_one() -> Log:
    holder, forge = grown()
    return audited(keep(holder, forge, entry(forge, 4)), forge)


@FAMILY.attack("takes the head of a submitter's second history", 4, "HEAD_ENTRY_INVALID")
def a_submitters_fork() -> Log:
    holder, _ = grown()
    other = Forge([ALICE]).genesis().submit([ALICE]).seal()
    other.submit([ALICE], [other.request(b"another")]).seal().submit([ALICE]).seal()
    return audited(keep(holder, other, entry(other, 6)), other)


@FAMILY.attack("takes an older head of a submitter again", 4, "HEAD_ENTRY_INVALID")
def an_older_head_again() -> Log:
    forge = submitter(1)
    older = entry(forge)
    forge.submit([ALICE]).seal()
    holder = keep(t_ledger(), forge, entry(forge))
    return audited(keep(holder, forge, older), forge)


@FAMILY.honest
def a_head_entered_late_and_again() -> Log:
    forge = submitter()
    holder = keep(t_ledger(), forge, entry(forge), late_ms=3_600_000)
    return audited(keep(holder, forge, entry(forge, 6)), forge)


@FAMILY.attack("enters a head before it was sealed", 2, "HEAD_ENTRY_INVALID")
def a_head_sealed_after_its_entry() -> Log:
    forge = submitter(4)
    return audited(keep(t_ledger(), forge, entry(forge), late_ms=-1001), forge)


@FAMILY.attack("enters a head that the submitter never signed", 2, "HEAD_ENTRY_INVALID")
def a_head_by_another_key() -> Log:
    forge = submitter()
    forge.note = Signer("another note")
    return audited(keep(t_ledger(), forge, entry(forge)), forge)


@FAMILY.attack("hides a second signature in a note", 2, "HEAD_ENTRY_INVALID")
def a_note_of_two_lines() -> Log:
    forge = submitter()
    note = forge.checkpoint() + cosignature(forge, Signer("witness"), "witness")
    return audited(keep(t_ledger(), forge, entry(forge, note=note)), forge)


@FAMILY.attack("enters a head under another ledger's clue", 2, "HEAD_ENTRY_INVALID")
def a_head_under_another_clue() -> Log:
    forge, other = submitter(), Forge([ALICE], {3: bytes(32)})
    holder = keep(t_ledger(), forge, entry(forge), clue=other.ledger_id.hex())
    return audited(holder, forge, other)


@FAMILY.attack("shows another seal than the one that the head ends with", 2, "HEAD_ENTRY_INVALID")
def a_head_with_an_older_seal() -> Log:
    forge = submitter()
    payload = entry(forge)
    payload[2] = forge.entries[3][0]
    return audited(keep(t_ledger(), forge, payload), forge)


@FAMILY.attack("fills a ledger's clue with journals that are no heads", 2, "HEAD_ENTRY_INVALID")
def a_ledgers_clue_on_another_journal() -> Log:
    holder, forge = t_ledger(), submitter()
    request = holder.request(clues=[forge.ledger_id.hex()])
    return audited(holder.submit([CAROL], [request]).seal(), forge)


@FAMILY.attack("withdraws an entry that an auditor saw", 3, "TRUSTED_HEAD_CONTRADICTED", By.HEAD)
def an_entry_withdrawn() -> Log:
    holder, forge = grown()
    without = keep(t_ledger(), forge, entry(forge))
    return audited(without, forge, params=holder.params, trusted=holder.checkpoint())


# Time journals that show an entry


def proof(holder: Forge, jsn: int) -> list[Any]:
    """Proof 2 of a time journal: docs/formats/people-and-time.md."""
    leaf, _, _, salt, body, _ = holder.entries[jsn]
    file = cbor([9, leaf, holder.receipt_of(jsn)])
    return [2, holder.ledger_id, file, salt, body]


def anchored(forge: Forge, shown: list[Any], late_ms: int = 0) -> Forge:
    """The ledger, with a time journal about its newest head."""
    content = [5, forge.jsn, root(forge.leaf_hashes()), None, shown]
    forge.time_ms += late_ms
    return forge.submit_own(20, content, [forge.receipt]).seal()


def told(forge: Forge, *trusted: Forge | bytes) -> Log:
    """The ledger, shown to an auditor who trusts these T-Ledgers by their keys or their logs."""
    files = tuple(each if isinstance(each, bytes) else each.params for each in trusted)
    return Log(forge.log(), forge.ledger_id, t_ledgers=files)


@FAMILY.honest
def a_time_journal_with_an_entry() -> Log:
    forge = submitter()
    holder = keep(t_ledger(), forge, entry(forge))
    return told(anchored(forge, proof(holder, 2)), holder)


@FAMILY.honest
def a_time_journal_with_an_entry_of_a_log() -> Log:
    forge = submitter()
    holder = keep(t_ledger(), forge, entry(forge))
    return told(anchored(forge, proof(holder, 2)), holder.log())


@FAMILY.attack("shows the entry of an older head", 8, "TIME_ENTRY_REFUSED")
def an_entry_of_another_head() -> Log:
    holder, forge = grown()
    return told(anchored(forge, proof(holder, 2)), holder)


@FAMILY.attack("runs a T-Ledger of its own", 6, "TIME_ENTRY_REFUSED")
def an_entry_of_the_operators_t_ledger() -> Log:
    forge = submitter()
    own = t_ledger(PUBLIC_AND_PERMANENT | {3: sha(b"operator's")})
    return told(anchored(forge, proof(keep(own, forge, entry(forge)), 2)), t_ledger())


@FAMILY.attack("shows a receipt that the T-Ledger never gave", 6, "TIME_ENTRY_REFUSED")
def a_receipt_by_another_key() -> Log:
    forge = submitter()
    holder = keep(t_ledger(), forge, entry(forge))
    holder.receipt = Signer("operator")
    return told(anchored(forge, proof(holder, 2)), holder)


@FAMILY.attack("dates the block behind an entry an hour later", 6, "TIME_SKEWED")
def an_entry_shown_late() -> Log:
    forge = submitter()
    holder = keep(t_ledger(), forge, entry(forge))
    return told(anchored(forge, proof(holder, 2), late_ms=3_600_000), holder)


@FAMILY.attack("shows an entry that the T-Ledger's log does not hold", 6, "TIME_ENTRY_REFUSED")
def an_entry_of_a_second_history() -> Log:
    forge = submitter()
    holder = keep(t_ledger(), forge, entry(forge))
    log = t_ledger().submit([CAROL]).seal().log()
    return told(anchored(forge, proof(holder, 2)), log)


@FAMILY.attack("shows another payload beside the entry's leaf", 6, "TIME_ENTRY_REFUSED")
def another_body_beside_an_entry() -> Log:
    forge = submitter()
    shown = proof(keep(t_ledger(), forge, entry(forge)), 2)
    shown[4] = shown[4].replace(forge.checkpoint()[-20:], bytes(20))
    return told(anchored(forge, shown), t_ledger())


@FAMILY.attack("journals entries of a T-Ledger that was set back", 10, "TIME_ENTRY_REFUSED")
def entries_of_a_t_ledger_that_was_set_back() -> Log:
    forge = submitter()
    holder = keep(t_ledger().submit([CAROL]).seal(), forge, entry(forge))
    back = keep(t_ledger(), forge, entry(forge))
    first = anchored(forge, proof(holder, 4)).submit([ALICE]).seal()
    keep(back, first, entry(first, 6))
    previous = [6, first.leaf_hashes()[6]]
    content = [5, first.jsn, root(first.leaf_hashes()), previous, proof(back, 4)]
    return told(first.submit_own(20, content, [first.receipt]).seal())


@FAMILY.attack("shows an entry under a head that its T-Ledger never had", 6, "TIME_ENTRY_REFUSED")
def an_entry_under_another_head() -> Log:
    forge = submitter()
    holder = keep(t_ledger(), forge, entry(forge))
    log = keep(t_ledger(), forge, entry(forge))
    shown = proof(holder.submit([CAROL]).seal(), 2)
    log.time_ms += 1
    return told(anchored(forge, shown), log.submit([CAROL]).seal().log())


# Witnesses


def vkey(witness: Signer, name: str) -> str:
    """The verifier key of a witness: docs/formats/checkpoint.md."""
    typed = b"\4" + witness.spki[-32:]
    return f"{name}+{_key_id(name, typed).hex()}+{base64.b64encode(typed).decode()}"


def _key_id(name: str, typed: bytes) -> bytes:
    return sha(name.encode(), b"\n", typed)[:4]


def cosignature(forge: Forge, witness: Signer, name: str, seconds: int = 1_790_000_001) -> bytes:
    """The line of a witness under the newest checkpoint."""
    text = f"cosignature/v1\ntime {seconds}\n".encode() + forge.head_lines(forge.jsn)
    key_id = _key_id(name, b"\4" + witness.spki[-32:])
    line = key_id + seconds.to_bytes(8, "big") + witness.sign(text)
    return f"\u2014 {name} {base64.b64encode(line).decode()}\n".encode()


FIRST, SECOND = Signer("first witness"), Signer("second witness")
BOTH = (vkey(FIRST, "first"), vkey(SECOND, "second"))


def witnessed(log: Forge, note: bytes, *demanded: str) -> Log:
    """A log and a cosigned note, shown to an auditor who demands these witnesses."""
    return Log(log.log(), log.ledger_id, others=(note,), witnesses=demanded or BOTH[:1])


@FAMILY.honest
def a_head_with_two_witnesses() -> Log:
    forge = submitter()
    lines = cosignature(forge, FIRST, "first") + cosignature(forge, SECOND, "second")
    return witnessed(forge, forge.checkpoint() + lines, *BOTH)


@FAMILY.attack("shows its log to no witness", 5, "HEAD_NOT_WITNESSED", By.WITNESS)
def a_head_without_witnesses() -> Log:
    forge = submitter()
    return witnessed(forge, forge.checkpoint())


@FAMILY.attack("runs a witness under another's name", 5, "HEAD_NOT_WITNESSED", By.WITNESS)
def a_witness_of_the_operators() -> Log:
    forge = submitter()
    line = cosignature(forge, Signer("operator"), "first")
    return witnessed(forge, forge.checkpoint() + line)


@FAMILY.attack("moves a cosignature to another head", 5, "HEAD_INVALID", By.WITNESS)
def a_cosignature_moved() -> Log:
    forge, seen = submitter(), submitter(1)
    return witnessed(forge, forge.checkpoint() + cosignature(seen, FIRST, "first"))


@FAMILY.attack("has one witness cosign twice in place of two", 5, "HEAD_NOT_WITNESSED", By.WITNESS)
def one_witness_for_two() -> Log:
    forge = submitter()
    line = cosignature(forge, FIRST, "first")
    later = cosignature(forge, FIRST, "first", 1_790_000_002)
    return witnessed(forge, forge.checkpoint() + line + later, *BOTH)


@FAMILY.attack(
    "shows another history than the one that was witnessed",
    5,
    "OTHER_HEAD_CONTRADICTED",
    By.WITNESS,
)
def another_history_than_the_witnessed_one() -> Log:
    seen, forge = submitter(), submitter(1)
    forge.submit([ALICE], [forge.request(b"another")]).seal()
    return witnessed(forge, seen.checkpoint() + cosignature(seen, FIRST, "first"))


@FAMILY.unseen("has a witness that cosigns whatever it is shown", Assumption.INDEPENDENT)
def a_witness_in_league() -> Log:
    forge = submitter(1).submit([ALICE]).seal()
    return witnessed(forge, forge.checkpoint() + cosignature(forge, FIRST, "first"))


@FAMILY.unseen("has a T-Ledger whose clock says what it is told", Assumption.INDEPENDENT)
def a_t_ledger_in_league() -> Log:
    forge = founded_now(-3_600_000)
    holder = keep(t_ledger(), forge, entry(forge), late_ms=1000)
    return told(anchored(forge, proof(holder, 2)), holder)
