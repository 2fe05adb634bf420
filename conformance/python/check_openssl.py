"""Runs the scripts of docs/audit-by-hand.md that verify a signed head with openssl alone.

    check_openssl.py URL FOLDER     FOLDER is what rest_client.py left

They must pass on what the service gave, and fail on every copy of it with one thing changed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cases import Tally
from rest_client import ledger_in

SCRIPTS = Path(__file__).resolve().parent.parent / "by-hand"
URL, FOLDER = sys.argv[1], Path(sys.argv[2])
FILES = ("checkpoint", "receipt", "genesis")


def run(name, folder, ledger):
    """Whether each command of the script passed, in a folder."""
    done = subprocess.run(
        [SCRIPTS / f"{name}.sh"], cwd=folder, text=True,
        env={**os.environ, "ledger": ledger, "rest": URL}, capture_output=True, timeout=90)
    return done.returncode == 0, done.stdout + done.stderr


def verifies(good, file, change, ledger):
    """Whether the commands pass on copies of the files, one of them changed."""
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            shutil.copy(good / name, folder)
        if file:
            changed = Path(folder, file)
            changed.write_bytes(change(changed.read_bytes()))
        passed, text = run("verify-head", folder, ledger)
        return passed and text.count("Signature Verified Successfully") == 2


def flip(at):
    def change(data):
        twin = bytearray(data)
        twin[at if at < 0 else min(at, len(twin) - 1)] ^= 1
        return bytes(twin)

    return change


def twins(good, ledger):
    note = (good / "checkpoint").read_text()
    size, root = note.split("\n")[1:3]
    text = len("\n".join(note.split("\n")[:3]).encode())
    other = ("A" if root[0] != "A" else "B") + root[1:]
    yield "another size", (good, "checkpoint", lambda data: data.replace(
        f"\n{size}\n".encode(), f"\n{int(size) + 2}\n".encode()), ledger)
    yield "another root", (good, "checkpoint", lambda data: data.replace(
        root.encode(), other.encode()), ledger)
    yield "another origin", (good, "checkpoint", flip(0), ledger)
    yield "another note signature", (good, "checkpoint", lambda data: (
        data[:-40] + (b"A" if data[-40:-39] != b"A" else b"B") + data[-39:]), ledger)
    yield "no note signature", (good, "checkpoint", lambda data: data[: text + 1], ledger)
    for at in (1, 2, 3, 20, 100, 200, -1, -30, -64):
        yield f"a flipped bit in byte {at} of the receipt", (good, "receipt", flip(at), ledger)
    for at in (3, 20, 60, -50, -100, -1):
        yield f"a flipped bit in byte {at} of genesis", (good, "genesis", flip(at), ledger)
    yield "another ledger pinned", (good, None, None, ledger[:-1] + ("0" if ledger[-1] != "0" else "1"))


def main():
    ledger = ledger_in(FOLDER, "public-ledger")
    good = FOLDER / "head"
    good.mkdir(exist_ok=True)
    passed, text = run("fetch-head", good, ledger)
    if not passed:
        sys.exit(f"fetch-head.sh: {text}")
    tally = Tally("openssl")
    tally.judge("the signed head", verifies, (good, None, None, ledger), twins(good, ledger))
    tally.finish()


if __name__ == "__main__":
    main()
