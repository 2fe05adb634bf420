"""Runs the scripts of docs/audit-by-hand.md by which tools of others convict a service.

The ledgers are forged: the service signs two histories, and dates journals behind a token of a real
authority before it. The scripts must pass on these, and fail on each copy with one thing changed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import rules_of_time
import token_authority
from cases import Tally
from forge import Forge, Signer
from forge_bytes import cbor
from rules import ALICE, BOB, founded

SCRIPTS = Path(__file__).resolve().parent.parent / "by-hand"
BY_HAND = Path(__file__).resolve().parent / "by_hand.py"
Change = Callable[[bytes], bytes]


def passes(name: str, good: Path, file: str | None, change: Change | None, ledger: str) -> bool:
    """Whether the script passes on copies of the files, one of them changed."""
    with tempfile.TemporaryDirectory() as folder:
        for each in good.iterdir():
            shutil.copy(each, folder)
        if file and change:
            changed = Path(folder, file)
            changed.write_bytes(change(changed.read_bytes()))
        done = subprocess.run(
            [SCRIPTS / f"{name}.sh"], cwd=folder,
            env={**os.environ, "ledger": ledger, "by_hand": str(BY_HAND)}, capture_output=True,
            text=True, timeout=60, check=False)
        return done.returncode == 0


def fork(folder: Path) -> str:
    """Two checkpoints of one size that the same key signed."""
    ours, theirs = founded().submit([ALICE]).seal(), founded().submit([BOB]).seal()
    (folder / "a.checkpoint").write_bytes(ours.checkpoint())
    (folder / "b.checkpoint").write_bytes(theirs.checkpoint())
    (folder / "genesis").write_bytes(ours.params)
    return ours.ledger_id.hex()


def fork_twins(good: Path, ledger: str) -> Iterator[tuple[str, tuple]]:
    a, b = ((good / f"{name}.checkpoint").read_bytes() for name in "ab")
    longer = founded().submit([BOB]).seal().submit([BOB]).seal().checkpoint()
    stranger = founded().submit([BOB]).seal()
    stranger.note = Signer("another note")
    signature = len(b) - 60
    for change, file, twin in (
        ("the same head twice", "b.checkpoint", lambda _: a),
        ("another size", "b.checkpoint", lambda _: longer),
        ("another key", "b.checkpoint", lambda _: stranger.checkpoint()),
        ("a bent signature", "b.checkpoint", lambda data: (
            data[:signature] + _other(data[signature]) + data[signature + 1 :])),
        ("no signature", "a.checkpoint", lambda data: data[: data.index(b"\n\n") + 1]),
        ("a bent root", "a.checkpoint", lambda data: data.replace(a.split(b"\n")[2][:4], b"AAAA")),
        ("another genesis", "genesis", lambda data: data[:-1] + bytes([data[-1] ^ 1])),
    ):
        yield change, ("verify-fork", good, file, twin, ledger)
    yield "another ledger", ("verify-fork", good, None, None, ledger[::-1])


def _other(byte: int) -> bytes:
    return b"A" if byte != ord("A") else b"B"


def misdated(folder: Path, authority: Path, now_ms: int | None = None) -> str:
    """A token of now, and a journal behind it; dated as the forge dates them unless told."""
    forge = founded()
    forge.time_ms = now_ms or forge.time_ms
    forge.submit([ALICE]).seal()
    (folder / "token.head").write_bytes(forge.head_lines(forge.jsn))
    token = stamped(authority, folder / "token.head")
    (folder / "token.tst").write_bytes(token)
    at = forge.jsn
    rules_of_time.stamp(forge, token=token)
    forge.submit([BOB]).seal()
    for name, jsn in (("time.receipt", at), ("journal.receipt", at + 2)):
        (folder / name).write_bytes(cbor([9, forge.entries[jsn][0], forge.receipt_of(jsn)]))
    (folder / "copy.tlog").write_bytes(forge.log())
    shutil.copy(authority / "root.pem", folder / "ca.pem")
    return forge.ledger_id.hex()


def stamped(authority: Path, head: Path) -> bytes:
    """A token of the authority, with its chain."""
    query = authority / "asked"
    _must("ts", "-query", "-data", head, "-sha256", "-cert", "-out", query)
    (authority / "answer").write_bytes(token_authority.reply(authority, query.read_bytes()))
    _must("ts", "-reply", "-in", authority / "answer", "-token_out", "-out", authority / "token")
    return (authority / "token").read_bytes()


def _must(*arguments: object) -> None:
    done = token_authority.openssl(*arguments)
    if done.returncode != 0:
        raise SystemExit(f"openssl {arguments}: {done.stderr.decode()}")


def misdated_twins(good: Path, honest: Path, ledger: str, home: Path) -> Iterator[tuple[str, tuple]]:
    other = home / "other authority"
    token_authority.make(other)
    again = stamped(other, good / "token.head")
    name = "verify-misdated"
    for change, file, twin in (
        ("the time journal itself", "journal.receipt", lambda _: (
            (good / "time.receipt").read_bytes())),
        ("a bent leaf", "journal.receipt", lambda data: _flipped(data, 20)),
        ("a bent receipt", "time.receipt", lambda data: _flipped(data, -1)),
        ("another token", "token.tst", lambda _: again),
        ("another head", "token.head", lambda data: data.replace(b"\n4\n", b"\n2\n")),
        ("another CA", "ca.pem", lambda _: (other / "root.pem").read_bytes()),
        ("another log", "copy.tlog", lambda _: (honest / "copy.tlog").read_bytes()),
    ):
        yield change, (name, good, file, twin, ledger)
    yield "another ledger", (name, good, None, None, ledger[::-1])


def _flipped(data: bytes, at: int) -> bytes:
    twin = bytearray(data)
    twin[at] ^= 1
    return bytes(twin)


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        forked, back, honest = (home / name for name in ("fork", "misdated", "honest"))
        for folder in (forked, back, honest):
            folder.mkdir()
        authority = home / "authority"
        token_authority.make(authority)
        tally = Tally("scripts of docs/audit-by-hand.md, evidence")
        ledger = fork(forked)
        good = ("verify-fork", forked, None, None, ledger)
        tally.judge("a fork", passes, good, fork_twins(forked, ledger))
        ledger = misdated(back, authority)
        misdated(honest, authority, _now_ms())
        twins = list(misdated_twins(back, honest, ledger, home))
        twins.append(("right times", ("verify-misdated", honest, None, None, ledger)))
        good = ("verify-misdated", back, None, None, ledger)
        tally.judge("a back-dated journal", passes, good, twins)
        well = tally.end()
    sys.exit(0 if well else 1)


def _now_ms() -> int:
    return int(time.time() * 1000)


if __name__ == "__main__":
    main()
