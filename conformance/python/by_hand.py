"""Checks a saved log and receipts with Python's standard library and openssl alone.

    by_hand.py COPY LEDGER [RECEIPT | EARLIER-COPY]...

COPY is what `tally audit --save` wrote, LEDGER the id that was pinned. It shares no code with the
project: formats as in docs/formats, trees as in RFC 9162, signatures by openssl. It says less than
an audit does: nothing about clients' signatures, members, bodies, batches and blocks.
"""

import base64
import hashlib
import struct
import subprocess
import sys
import tempfile
from pathlib import Path


def sha(data):
    return hashlib.sha256(data).digest()


def item(data, at=0):
    """One CBOR item and where it ends; tags are dropped, maps are lists of pairs."""
    major, info = data[at] >> 5, data[at] & 31
    at += 1
    if info >= 24:
        width = 1 << (info - 24)
        info, at = int.from_bytes(data[at : at + width], "big"), at + width
    if major == 0:
        return info, at
    if major == 1:
        return -1 - info, at
    if major in (2, 3):
        return data[at : at + info], at + info
    if major in (4, 5):
        found = []
        for _ in range(info * (major - 3)):
            value, at = item(data, at)
            found.append(value)
        return found, at
    if major == 6:
        return item(data, at)
    return None if info == 22 else info == 21, at


def verify(spki, message, signature):
    """Ed25519, by openssl."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("key.der", "message", "signature")]
        for file, data in zip(files, (spki, message, signature)):
            file.write_bytes(data)
        subprocess.run(
            ["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", files[0],
             "-rawin", "-in", files[1], "-sigfile", files[2]],
            check=True, stdout=subprocess.DEVNULL)


def root(hashes):
    """RFC 9162 section 2.1.1, over leaf hashes, level by level."""
    while len(hashes) > 1:
        pairs = [sha(b"\1" + a + b) for a, b in zip(hashes[::2], hashes[1::2])]
        hashes = pairs + hashes[len(hashes) - len(hashes) % 2 :]
    return hashes[0]


def path_root(leaf_hash, index, size, path):
    """RFC 9162 section 2.1.3.2."""
    node, last, found = index, size - 1, leaf_hash
    for step in path:
        assert last > 0, "the path is too long"
        if node & 1 or node == last:
            found = sha(b"\1" + step + found)
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            found = sha(b"\1" + found + step)
        node, last = node >> 1, last >> 1
    assert last == 0, "the path is too short"
    return found


def read_copy(file):
    """Leaves and checkpoint: docs/formats/log-copy.md."""
    data = file.read_bytes()
    version = data[11]
    if data[:11] != b"TALLYLOG\0\0\0" or version not in (1, 2):
        sys.exit(f"{file}: no saved log that has all leaves (version 1, or 2 with a state)")
    ledger, (size,) = data[12:44], struct.unpack(">Q", data[48:56])
    at, leaves = 56, []

    def string():
        nonlocal at
        (length,) = struct.unpack_from(">I", data, at)
        at += 4 + length
        return data[at - length : at]

    for _ in range(size):
        leaves.append(string())
        string()
        if version == 2:
            string()  # operations
        state, at = data[at], at + 1
        if state == 2:
            at += 32
            string()
    return ledger, leaves, string()


def check_copy(file, pinned):
    """The keys in genesis are those of the pinned ledger; the checkpoint signs the root of all leaves."""
    ledger, leaves, note = read_copy(file)
    genesis = item(leaves[0])[0][4]
    assert sha(b"tallystick/ledger/1\0" + genesis) == pinned == ledger, "genesis is another ledger's"
    note_key, receipt_key = item(genesis)[0][5]
    text, _, signatures = note.rpartition(b"\n\n")
    origin, size, claimed = text.decode().split("\n")
    hashes = [sha(b"\0" + leaf) for leaf in leaves]
    assert int(size) == len(leaves) and base64.b64decode(claimed) == root(hashes), "another root"
    line = signatures.decode().splitlines()[0]
    assert line.startswith("\u2014 " + origin + " "), "signed under another name"
    verify(note_key, text + b"\n", base64.b64decode(line.split(" ")[2])[4:])
    print(f"{file}: genesis is {pinned.hex()}, {size} leaves have the root {claimed} that is signed")
    return hashes, receipt_key


def check_receipt(file, hashes, receipt_key):
    """The leaf stands at its jsn in the tree whose root is signed, and in the saved log."""
    kind, leaf, receipt = item(file.read_bytes())[0]
    protected, unprotected, payload, signature = receipt
    size, index, path = item(unprotected[1][1][0])[0]
    signed = dict(zip(*[iter(item(protected)[0])] * 2))[-70001]
    assert kind == 9 and payload is None and signed[3] == size and item(leaf)[0][1] == index
    found = path_root(sha(b"\0" + leaf), index, size, path)
    head = b"\x58" if len(protected) < 256 else b"\x59"
    length = len(protected).to_bytes(1 if len(protected) < 256 else 2, "big")
    verify(
        receipt_key,
        b"\x84\x6aSignature1" + head + length + protected + b"\x40\x58\x20" + found,
        signature)
    assert hashes[index] == sha(b"\0" + leaf) and root(hashes[:size]) == found, "not this log's"
    print(f"{file}: leaf {index} is in the signed tree of {size} leaves, which this log continues")


def main():
    copy, pinned, others = Path(sys.argv[1]), bytes.fromhex(sys.argv[2]), sys.argv[3:]
    hashes, receipt_key = check_copy(copy, pinned)
    for other in map(Path, others):
        with other.open("rb") as opened:
            is_copy = opened.read(8) == b"TALLYLOG"
        if is_copy:
            earlier, _ = check_copy(other, pinned)
            assert root(hashes[: len(earlier)]) == root(earlier), "the log does not continue it"
            print(f"{copy}: begins with the {len(earlier)} leaves of {other}")
        else:
            check_receipt(other, hashes, receipt_key)


if __name__ == "__main__":
    main()
