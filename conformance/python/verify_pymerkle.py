"""Show exported logs, and the accumulator's inclusion proofs, to pymerkle.

usage: verify_pymerkle.py FOLDER PROOFS

FOLDER has exports NAME, each a folder, every longer one grown from the shorter ones. pymerkle
builds the tree from the leaves in their entry bundles: root and size are those of the checkpoint,
and its own proofs hold between the roots of the checkpoints. PROOFS is a file of cases; pymerkle's
consistency proofs are of another shape than RFC 9162's, so only those of inclusion are shown.
"""

import base64
import pathlib
import sys

from pymerkle import (
    ConsistencyProof,
    InclusionProof,
    InmemoryTree,
    verify_consistency,
    verify_inclusion,
)
from pymerkle.core import _inclusion_path_layout

import cases

BUNDLE = 256
CACHE_BYTES = 1 << 26


class Log:
    """An exported log: its leaves, and what its checkpoint says of them."""

    def __init__(self, folder):
        note = (folder / "checkpoint").read_text(encoding="utf-8").split("\n")
        self.name, self.size, self.root = folder.name, int(note[1]), base64.b64decode(note[2])
        self.leaves = [leaf for bundle in self._bundles(folder) for leaf in entries(bundle)]

    def _bundles(self, folder):
        for number in range(-(-self.size // BUNDLE)):
            width = min(BUNDLE, self.size - number * BUNDLE)
            path = f"{number % 1000:03}"
            if number >= 1000:
                path = f"x{number // 1000:03}/{path}"
            path += "" if width == BUNDLE else f".p/{width}"
            yield (folder / "tile/entries" / path).read_bytes()


def entries(bundle):
    """C2SP tlog-tiles: each entry behind its length, big-endian in two bytes."""
    while bundle:
        length = 2 + int.from_bytes(bundle[:2], "big")
        if len(bundle) < length:
            raise ValueError("a bundle breaks off")
        yield bundle[2:length]
        bundle = bundle[length:]


def tree_of(leaves):
    tree = InmemoryTree(algorithm="sha256", capacity=CACHE_BYTES)
    tree.append_entries(leaves)
    return tree


def is_root(leaves, size, root):
    """Whether pymerkle's tree over the leaves has so many and that root."""
    tree = tree_of(leaves)
    return tree.get_size() == size and tree.get_root() == root


def flipped(data, bit=0):
    twin = bytearray(data)
    twin[bit // 8 % len(twin)] ^= 1 << bit % 8
    return bytes(twin)


def root_twins(log):
    leaves, size, root = log.leaves, log.size, log.root
    for at in sorted({0, 1, size // 2, size - 1}):
        changed = leaves.copy()
        changed[at] = flipped(leaves[at], 8 * len(leaves[at]) - 1)
        yield f"a flipped bit in leaf {at}", (changed, size, root)
    for at in sorted({0, size // 2 - 1, size - 2}):
        swapped = leaves.copy()
        swapped[at : at + 2] = leaves[at + 1], leaves[at]
        yield f"leaves {at} and {at + 1} swapped", (swapped, size, root)
    yield "its last leaf dropped", (leaves[:-1], size, root)
    yield "its last leaf dropped and the size told", (leaves[:-1], size - 1, root)
    yield "its first leaf dropped", (leaves[1:], size, root)
    yield "a leaf too many", ([*leaves, leaves[-1]], size, root)
    yield "another root", (leaves, size, flipped(root))


def continues(tree, old_root, old_size, root, size):
    """Whether pymerkle's own proof holds between these roots."""
    proof = tree.prove_consistency(old_size, size)
    verify_consistency(old_root, root, proof, old_size, size, "sha256")
    return isinstance(proof, ConsistencyProof)


def holds(tree, index, root, size, leaf):
    """Whether pymerkle's own proof of a leaf holds under this root."""
    proof = tree.prove_inclusion(index + 1, size)
    verify_inclusion(tree.hash_buff(leaf), root, proof, index + 1, size, "sha256")
    return isinstance(proof, InclusionProof)


def inclusion_twins(tree, log, index):
    leaf = log.leaves[index]
    yield "a flipped leaf", (tree, index, log.root, log.size, flipped(leaf))
    yield "another root", (tree, index, flipped(log.root), log.size, leaf)
    yield "another index", (tree, index - 1 if index else 1, log.root, log.size, leaf)
    yield "another size", (tree, index, log.root, log.size - 1, leaf)


def show_logs(tally, logs):
    for older, log in zip([None, *logs], logs):
        tally.judge(f"the root of {log.name}", is_root, (log.leaves, log.size, log.root),
                    root_twins(log))
        tree = tree_of(log.leaves)
        for index in sorted({0, 1, log.size // 3, log.size - 2, log.size - 1}):
            tally.judge(f"leaf {index} of {log.name}", holds,
                        (tree, index, log.root, log.size, log.leaves[index]),
                        inclusion_twins(tree, log, index))
        if older:
            old = (older.root, older.size, log.root, log.size)
            tally.judge(f"{log.name} after {older.name}", continues, (tree, *old), [
                ("another older root", (tree, flipped(old[0]), *old[1:])),
                ("another newer root", (tree, *old[:2], flipped(old[2]), old[3])),
                ("older size + 1", (tree, old[0], old[1] + 1, *old[2:])),
                ("older size - 1", (tree, old[0], old[1] - 1, *old[2:])),
                ("newer size - 1", (tree, *old[:3], old[3] - 1)),
            ])


def is_included(index, size, leaf_hash, path, root):
    """Whether pymerkle accepts a proof of ours: its own begins with the leaf, the rest is RFC 9162's."""
    rule, _ = _inclusion_path_layout(index + 1, size)
    proof = InclusionProof("sha256", True, size, index + 1, rule, [leaf_hash, *path])
    verify_inclusion(leaf_hash, root, proof, index + 1, size, "sha256")
    return True


def proof_twins(index, size, leaf_hash, path, root):
    bit = index * 7 + size
    yield "a flipped leaf", (index, size, flipped(leaf_hash, bit), path, root)
    yield "a flipped root", (index, size, leaf_hash, path, flipped(root, bit))
    for at in range(len(path)):
        changed = path.copy()
        changed[at] = flipped(path[at], bit + at)
        yield f"a flipped hash {at} of the path", (index, size, leaf_hash, changed, root)
    if path:
        yield "a path one short", (index, size, leaf_hash, path[:-1], root)
    yield "a path one long", (index, size, leaf_hash, [*path, root], root)
    # No twin of another size: where it asks for the same steps, the same proof holds for it too.
    yield "index + 1", (index + 1, size, leaf_hash, path, root)
    yield "index - 1", (index - 1, size, leaf_hash, path, root)


def show_proofs(tally, file):
    for case in cases.read(file):
        if case["kind"] == "inclusion":
            good = (case["index"], case["size"], bytes.fromhex(case["leafHash"]),
                    [bytes.fromhex(step) for step in case["path"]], bytes.fromhex(case["root"]))
            tally.judge(f"inclusion {good[0]} of {good[1]}", is_included, good, proof_twins(*good))


def main():
    folder = pathlib.Path(sys.argv[1])
    tally = cases.Tally("pymerkle")
    logs = [Log(path) for path in folder.iterdir() if path.is_dir()]
    show_logs(tally, sorted(logs, key=lambda log: log.size))
    show_proofs(tally, sys.argv[2])
    tally.finish()


if __name__ == "__main__":
    main()
