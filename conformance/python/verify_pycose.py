"""Show signatures of clients and of the service to pycose.

usage: verify_pycose.py FILE
"""

import hashlib
import sys

from pycose.headers import KID
from pycose.keys import CoseKey
from pycose.messages import Sign1Message

import cases

TYP = 16
PAYLOAD_HASH_ALG = 258  # RFC 9995
PREIMAGE_TYPE = 259
VDS = 395
CONTEXT = -70002
SHA_256 = -16

TYPS = {
    "request": "application/vnd.tallystick.request+cose",
    "batch": "application/vnd.tallystick.batch+cose",
    "genesis": "application/vnd.tallystick.genesis+cose",
    "anchor": "application/vnd.tallystick.anchor+cose",
    "erasure": "application/vnd.tallystick.erasure+cose",
    "service": "application/vnd.tallystick.service-request+cose",
}


def root(hashes):
    """RFC 9162 section 2.1.1 over the hashes as data."""
    if len(hashes) == 1:
        return hashlib.sha256(b"\x00" + hashes[0]).digest()
    k = 1
    while 2 * k < len(hashes):
        k *= 2
    return hashlib.sha256(b"\x01" + root(hashes[:k]) + root(hashes[k:])).digest()


def check(kind, message, kid, spki, covers):
    """Whether pycose accepts the signature and the message is of this kind over these bytes."""
    decoded = Sign1Message.decode(message)
    if not isinstance(decoded, Sign1Message) or decoded.uhdr:
        return False
    header = decoded.phdr
    if header[TYP] != TYPS[kind] or header[KID] != kid:
        return False
    if kind in ("request", "service") and (
        header[PAYLOAD_HASH_ALG] != SHA_256
        or header[PREIMAGE_TYPE] != "application/vnd.tallystick.request-header+cbor"
        or decoded.payload != hashlib.sha256(covers).digest()
    ):
        return False
    if kind in ("genesis", "anchor", "erasure") and decoded.payload != covers:
        return False
    decoded.key = CoseKey.from_pem_public_key(cases.pem(spki))
    if kind != "batch":
        return decoded.verify_signature()
    if header[VDS] != 1 or header[CONTEXT][3] != len(covers) or decoded.payload is not None:
        return False
    return decoded.verify_signature(detached_payload=root(covers))


def arguments(case):
    if case["kind"] == "batch":
        covers = [bytes.fromhex(h) for h in case["requestHashes"]]
    else:
        covers = bytes.fromhex(case["covers"])
    kid = hashlib.sha256(bytes.fromhex(case["spki"])).digest()
    return case["kind"], bytes.fromhex(case["message"]), kid, case["spki"], covers


def flip_first(covers):
    """The same with a bit changed in the first thing covered."""
    first = covers[0]
    if isinstance(covers, list):
        return [bytes([first[0] ^ 1]) + first[1:]] + covers[1:]
    return bytes([first ^ 1]) + covers[1:]


def twins(case, others):
    kind, message, kid, spki, covers = arguments(case)
    for change, twin in cases.flips(message):
        yield change, (kind, twin, kid, spki, covers)
    yield "a flipped bit in what it covers", (kind, message, kid, spki, flip_first(covers))
    yield "less covered", (kind, message, kid, spki, covers[:-1])
    yield "a key that did not sign", (kind, message, kid, cases.other_key(spki), covers)
    for other in others:
        yield "what another covers", (kind, message, kid, spki, arguments(other)[-1])
    for other_kind in TYPS:
        if other_kind != kind:
            yield f"the type of a {other_kind}", (other_kind, message, kid, spki, covers)


def main():
    tally = cases.Tally("pycose")
    all_cases = cases.read(sys.argv[1])
    for number, case in enumerate(all_cases):
        others = [
            other
            for other in all_cases
            if other["kind"] == case["kind"] and arguments(other)[-1] != arguments(case)[-1]
        ]
        what = f"{case['kind']} {number}"
        tally.judge(what, check, arguments(case), twins(case, others))
    tally.finish()


main()
