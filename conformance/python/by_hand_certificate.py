"""Checks a certificate of a removal with Python's standard library and openssl alone.

    by_hand_certificate.py CERTIFICATE LEDGER

CERTIFICATE is the file, LEDGER the id that was pinned. Of a ledger whose service keys were never
rotated. It checks the service's signatures under all receipts and under the erasure statement, the
signatures of those who ordered the removal, and that they are members by the journals shown. It
leaves the rules of roles and of regulators to a verifier: docs/formats/removal.md.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from by_hand import item, path_root, sha, verify

ED25519_BYTES = 44


def string(data):
    """A CBOR byte string."""
    size = len(data)
    if size < 24:
        return bytes([0x40 | size]) + data
    return (b"\x58" + bytes([size]) if size < 256 else b"\x59" + size.to_bytes(2, "big")) + data


def signed_bytes(protected, payload):
    return b"\x84\x6aSignature1" + string(protected) + b"\x40" + string(payload)


def verify_es256(spki, message, signature):
    """ECDSA, whose two numbers openssl wants in DER."""
    numbers = b""
    for half in (signature[:32], signature[32:]):
        number = half.lstrip(b"\0")
        number = b"\0" + number if number[0] & 0x80 else number
        numbers += bytes([2, len(number)]) + number
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("key.der", "message", "signature")]
        for file, data in zip(files, (spki, message, bytes([0x30, len(numbers)]) + numbers)):
            file.write_bytes(data)
        subprocess.run(
            ["openssl", "dgst", "-sha256", "-verify", files[0], "-keyform", "DER",
             "-signature", files[2], files[1]],
            check=True, stdout=subprocess.DEVNULL)


def fields(pairs):
    return dict(zip(*[iter(pairs)] * 2))


def leaf_of(file, receipt_key):
    """The leaf of a receipt file, once it stands in a tree that the service signed."""
    kind, leaf, (protected, unprotected, payload, signature) = item(file)[0]
    size, index, path = item(unprotected[1][1][0])[0]
    signed = fields(item(protected)[0])[-70001]
    assert kind == 9 and payload is None and signed[3] == size and item(leaf)[0][1] == index
    root = path_root(sha(b"\0" + leaf), index, size, path)
    verify(receipt_key, signed_bytes(protected, root), signature)
    return leaf, signed[1]


def members(params, chain, receipt_key):
    """The keys of genesis, and those that a journal of the chain adds or grants, by kid."""
    keys = {sha(spki): spki for spki in item(params)[0][4]}
    kind, entries = item(chain)[0]
    assert kind == 14
    for file, _ in entries:
        content = item(item(leaf_of(file, receipt_key)[0])[0][3])[0][12][1]
        assert content[0] in (1, 9), "a chain with a rotation is for a verifier"
        keys[sha(content[2])] = content[2]
    return keys


def check_orders(leaf, attestation, keys):
    """Each signature is by a member over the hash of the removal's header."""
    journal = item(leaf)[0]
    assert sha(attestation) == journal[4], "another attestation"
    kids = []
    for protected, _, payload, signature in item(attestation)[0]:
        kid = fields(item(protected)[0])[4]
        assert payload == sha(journal[3]) and kid in keys, "signed by a stranger"
        check = verify if len(keys[kid]) == ED25519_BYTES else verify_es256
        check(keys[kid], signed_bytes(protected, payload), signature)
        kids.append(kid.hex())
    return kids


def main():
    file, pinned = Path(sys.argv[1]), bytes.fromhex(sys.argv[2])
    kind, params, statement, removal, attestation, targets, time, chain = item(file.read_bytes())[0]
    assert kind == 18, "no certificate"
    assert sha(b"tallystick/ledger/1\0" + params) == pinned, "of another ledger"
    receipt_key = item(params)[0][5][1]
    keys = members(params, chain, receipt_key)
    leaf, ledger = leaf_of(removal, receipt_key)
    assert ledger == pinned and item(item(leaf)[0][3])[0][3] in (21, 22), "no removal of this ledger"
    kids = check_orders(leaf, attestation, keys)
    protected, _, payload, signature = item(statement)[0]
    header = fields(item(protected)[0])
    assert header[16] == b"application/vnd.tallystick.erasure+cose" and header[-70002][1] == pinned
    verify(receipt_key, signed_bytes(protected, payload), signature)
    number, jsn, leaf_hash, done, first, count = item(payload)[0]
    assert number == 17 and (jsn, leaf_hash) == (item(leaf)[0][1], sha(b"\0" + leaf))
    shown = [item(leaf_of(target, receipt_key)[0])[0][1] for target in targets]
    if time is not None:
        assert item(item(leaf_of(time, receipt_key)[0])[0][3])[0][3] == 20, "no time journal"
    print(f"{file}: removal {jsn} of ledger {pinned.hex()} is signed by {', '.join(kids)}")
    print(f"{file}: the service says that {count} from {first} on were erased at {done}; shown {shown}")


if __name__ == "__main__":
    main()
