"""Show receipts, and batch members' proofs of who signed them, to scitt-cose.

usage: verify_scitt_cose.py FILE [SUFFIX]

SUFFIX goes behind the verifier's name.
"""

import hashlib
import sys

import cbor2
from scitt_cose import verify_receipt

import cases

KID = 4
TYP = 16
RECEIPT_CONTEXT = -70001
BATCH_CONTEXT = -70002
UNPROTECTED = 1
PROOFS = 396
INCLUSION = -1

TYPS = {
    "receipt": ("application/vnd.tallystick.receipt+cose", RECEIPT_CONTEXT),
    "member": ("application/vnd.tallystick.batch+cose", BATCH_CONTEXT),
}


def check(kind, message, kid, spki, leaf, index, size, issuer, subject):
    """Whether scitt-cose accepts the message, and what it proves is what we say it does.

    The size in the proof is not signed: RFC 9942 leaves that to the application. Ours is in the
    protected header, and a reader must compare the two, as is done here.
    """
    result = verify_receipt(message, leaf_entry_hex=leaf.hex(), log_public_key_pem=cases.pem(spki))
    if not result.ok:
        return False
    typ, context = TYPS[kind]
    signed = result.protected_header_ext
    return (
        signed[KID] == kid
        and signed[TYP] == typ
        and signed[context][3] == size
        and result.tree_size == size
        and result.leaf_index == index
        and result.issuer == issuer
        and result.subject == subject
    )


def arguments(case):
    return (
        case["kind"],
        bytes.fromhex(case["message"]),
        hashlib.sha256(bytes.fromhex(case["spki"])).digest(),
        case["spki"],
        bytes.fromhex(case["leaf"]),
        case["index"],
        case["size"],
        case.get("issuer"),
        case.get("subject"),
    )


def with_proof(message, change):
    """The message with its inclusion proof [size, index, path] changed."""
    tag = cbor2.loads(message)
    parts = list(tag.value)
    size, index, path = cbor2.loads(parts[UNPROTECTED][PROOFS][INCLUSION][0])
    proof = cbor2.dumps(change(size, index, list(path)))
    parts[UNPROTECTED] = {PROOFS: {INCLUSION: [proof]}}
    return cbor2.dumps(cbor2.CBORTag(tag.tag, parts))


PROOF_CHANGES = {
    "size + 1": lambda size, index, path: [size + 1, index, path],
    "size - 1": lambda size, index, path: [size - 1, index, path],
    "index + 1": lambda size, index, path: [size, index + 1, path],
    "index - 1": lambda size, index, path: [size, index - 1, path],
    "a path one short": lambda size, index, path: [size, index, path[:-1]],
    "a path one long": lambda size, index, path: [size, index, path + [bytes(32)]],
}


def twins(case):
    kind, message, kid, spki, leaf, index, size, *context = arguments(case)
    for change, twin in cases.flips(message):
        yield change, (kind, twin, kid, spki, leaf, index, size, *context)
    for change, how in PROOF_CHANGES.items():
        if change == "a path one short" and size == 1:
            continue
        twin = with_proof(message, how)
        yield change, (kind, twin, kid, spki, leaf, index, size, *context)
    flipped = leaf[:-1] + bytes([leaf[-1] ^ 1])
    yield "a flipped leaf", (kind, message, kid, spki, flipped, index, size, *context)
    yield "a key that did not sign", (kind, message, kid, cases.other_key(spki), leaf, index, size, *context)
    yield "a byte too many", (kind, message + b"\x00", spki, leaf, index, size, *context)
    yield "another index wanted", (kind, message, kid, spki, leaf, index + 1, size, *context)
    yield "another size wanted", (kind, message, kid, spki, leaf, index, size + 1, *context)
    for other_kind in TYPS:
        if other_kind != kind:
            yield "another type wanted", (other_kind, message, kid, spki, leaf, index, size, *context)


def main():
    tally = cases.Tally("scitt-cose" + "".join(sys.argv[2:]))
    for number, case in enumerate(cases.read(sys.argv[1])):
        what = f"{case['kind']} {number}, leaf {case['index']} of {case['size']}"
        tally.judge(what, check, arguments(case), twins(case))
    tally.finish()


main()
