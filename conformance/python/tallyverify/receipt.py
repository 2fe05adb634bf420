"""Receipts, range receipts and receipt files: docs/formats/receipt.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import cbor, cose, merkle
from .leaf import position
from .ledger import Service
from .rejected import Malformed, Rejected

PATH_MAX = 63
RANGE_ROOTS_MAX = 186
_RECEIPT_FILE, _RANGE = 9, 8
_LABELS = {
    cose.ALG,
    cose.KID,
    cose.CWT_CLAIMS,
    cose.TYP,
    cose.VDS,
    cose.HEAD_CONTEXT,
}


@dataclass(frozen=True)
class Head:
    """A tree head that the service signed."""

    size: int
    root: bytes


def read_file(encoded: bytes) -> tuple[bytes, Any]:
    """Leaf and receipt of a receipt file."""
    number, leaf, receipt = cbor.array(cbor.decode(encoded), "a receipt file", 3)
    cbor.exactly(number, _RECEIPT_FILE, "the file's type")
    return cbor.byte_string(leaf, "leaf"), receipt


def verify(service: Service, strand: int, leaf: bytes, receipt: Any) -> Head:
    """The head a receipt states, once leaf and receipt were found to be in it."""
    message = cose.sign1(receipt)
    size = signed_size(service, strand, message)
    if message.payload is not None:
        raise Malformed("the payload of a receipt is not detached")
    proof_size, index, path = _proof(message.unprotected)
    if proof_size != size:
        raise Rejected("WRONG_SIZE", f"a proof of size {proof_size}, {size} is signed")
    jsn = position(leaf)[1]
    if jsn != index:
        raise Rejected("WRONG_JSN", f"the leaf says {jsn}, the proof {index}")
    root = merkle.inclusion_root(index, size, path, merkle.leaf_hash(leaf))
    message.verify(service.receipt_key, root)
    return Head(size, root)


def claimed(leaf: bytes, receipt: Any) -> tuple[int, Head]:
    """The position and the head that a receipt claims for a leaf; its signature is not judged."""
    size, index, path = _proof(cose.sign1(receipt).unprotected)
    return index, Head(size, merkle.inclusion_root(index, size, path, merkle.leaf_hash(leaf)))


def verify_range(
    service: Service, strand: int, encoded: bytes, leaves: Sequence[bytes]
) -> tuple[Head, list[bytes]]:
    """The head a range receipt states, and the standard receipt of each of its leaves."""
    items = cbor.array(cbor.decode(encoded), "a range receipt", 7)
    cbor.exactly(items[0], _RANGE, "the receipt's type")
    first, count = cbor.uint(items[1], "firstJsn"), cbor.uint(items[2], "count")
    size = cbor.uint(items[3], "treeSize")
    roots = [
        cbor.digest(root, "a root") for root in cbor.array(items[4], "roots", most=RANGE_ROOTS_MAX)
    ]
    message = cose.sign1(cbor.Tag(18, [items[5], {}, None, items[6]]))
    signed = signed_size(service, strand, message)
    if size != signed:
        raise Rejected("WRONG_SIZE", f"a proof of size {size}, {signed} is signed")
    if not 1 <= count <= merkle.RANGE_MAX:
        raise Rejected("SIZE_OUT_OF_RANGE", f"{count} leaves")
    if count != len(leaves):
        raise Rejected("LEAF_MISMATCH", f"{len(leaves)} leaves, want {count}")
    for jsn, leaf in enumerate(leaves, first):
        said = position(leaf)[1]
        if said != jsn:
            raise Rejected("WRONG_JSN", f"the leaf at {jsn} says {said}")
    rows = merkle.range_rows(first, size, roots, [merkle.leaf_hash(leaf) for leaf in leaves])
    root = rows[-1][0]
    message.verify(service.receipt_key, root)
    paths = (merkle.inclusion_path(first + i, size, rows) for i in range(count))
    return Head(size, root), [
        _encode(message, size, first + i, path) for i, path in enumerate(paths)
    ]


def signed_size(service: Service, strand: int, message: cose.Sign1) -> int:
    """The size a receipt signs, everything else in its protected header checked."""
    message.check_type(cose.RECEIPT)
    header = cbor.mapping(message.header, "protected", _LABELS)
    cbor.exactly(header[cose.ALG], -8, "alg")
    cbor.exactly(header[cose.VDS], cose.RFC9162_SHA256, "label 395")
    context = cbor.array(header[cose.HEAD_CONTEXT], "label -70001", 4)
    cbor.exactly(context[0], 1, "the version of label -70001")
    ledger_id, signed_strand = cbor.digest(context[1], "ledgerId"), cbor.uint(context[2], "strand")
    size = cbor.uint(context[3], "treeSize")
    claims = cbor.mapping(header[cose.CWT_CLAIMS], "label 15", {1, 2})
    authority, origin = cbor.text(claims[1], "authority"), cbor.text(claims[2], "origin")
    if origin != f"{authority}/l/{ledger_id.hex()}/{signed_strand}":
        raise Malformed(f"origin {origin!r} does not follow from the other labels")
    if (ledger_id, signed_strand) != (service.ledger_id, strand):
        raise Rejected("WRONG_LEDGER", f"of ledger {ledger_id.hex()}, strand {signed_strand}")
    if authority != service.authority:
        raise Rejected("WRONG_ORIGIN", f"authority {authority!r}, want {service.authority}")
    if message.kid != service.receipt_key.kid:
        raise Rejected("WRONG_KEY", f"{message.kid.hex()} is not the receipt key")
    return size


def _proof(unprotected: dict[int, Any]) -> tuple[int, int, list[bytes]]:
    proofs = cbor.mapping(
        cbor.mapping(unprotected, "unprotected", {cose.VDP})[cose.VDP], "396", {-1}
    )
    encoded = cbor.byte_string(cbor.array(proofs[-1], "the proofs", 1)[0], "the proof")
    size, index, path = cbor.array(cbor.decode(encoded), "the proof", 3)
    hashes = [cbor.digest(item, "a hash") for item in cbor.array(path, "path", most=PATH_MAX)]
    return cbor.uint(size, "size"), cbor.uint(index, "index"), hashes


def _encode(message: cose.Sign1, size: int, index: int, path: Sequence[bytes]) -> bytes:
    """The receipt of one leaf, byte for byte what the service answers for it."""
    proof = cbor.encode_array(
        [
            cbor.encode_uint(size),
            cbor.encode_uint(index),
            cbor.encode_array(cbor.encode_bytes(node) for node in path),
        ]
    )
    return (
        b"\xd2\x84"
        + cbor.encode_bytes(message.protected)
        + bytes.fromhex("a119018ca12081")
        + cbor.encode_bytes(proof)
        + b"\xf6"
        + cbor.encode_bytes(message.signature)
    )
