"""The seal that a head ends with: docs/formats/lineage.md, "Clue proof", 1 to 3."""

from collections.abc import Sequence

from . import merkle
from .leaf import SealLeaf, parse_leaf
from .receipt import Head
from .rejected import Rejected


def last(trusted: Head, encoded: bytes, path: Sequence[bytes]) -> SealLeaf:
    """The leaf, which must be a seal and the last one under the head."""
    seal = parse_leaf(encoded)
    if not isinstance(seal, SealLeaf):
        raise Rejected("WRONG_TYPE", "the leaf is no seal")
    if seal.jsn != trusted.size - 1:
        raise Rejected("WRONG_JSN", f"seal {seal.jsn} under a head of {trusted.size} leaves")
    root = merkle.inclusion_root(seal.jsn, trusted.size, path, merkle.leaf_hash(encoded))
    if root != trusted.root:
        raise Rejected("ROOT_MISMATCH", f"the seal leads to {root.hex()}")
    return seal
