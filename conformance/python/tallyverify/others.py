"""What an auditor has beside a log: heads of others, witnesses, T-Ledgers, submitters."""

import argparse
import io
from collections.abc import Iterable
from pathlib import Path

from . import ledger, logcopy, merkle
from .audit import More, audit
from .gossip import Gossip, WitnessKey
from .leaf import GenesisLeaf, SealLeaf, parse_leaf
from .rejected import Malformed
from .tledger import Entries, SubmittedHeads, TLedger


def add_options(command: argparse.ArgumentParser) -> None:
    """The options by which the command line names them."""
    for name, metavar, what in (
        ("--compare", "FILE", "a head that somebody else has: a checkpoint or a receipt statement"),
        (
            "--t-ledger",
            "FILE",
            "a T-Ledger whose entries are believed: GenesisParams or a saved log",
        ),
        (
            "--submitter",
            "FILE",
            "GenesisParams of a ledger whose heads the T-Ledger holds; --heads",
        ),
    ):
        command.add_argument(
            name, type=Path, metavar=metavar, action="append", default=[], help=f"{what}; repeat it"
        )
    command.add_argument(
        "--witness",
        metavar="VKEY",
        action="append",
        default=[],
        help="a witness that must have cosigned a head of --compare; repeat it",
    )
    command.add_argument("--quorum", type=int, metavar="N", help="how many of them; all by default")
    command.add_argument(
        "--heads", action="store_true", help="the log is a T-Ledger: judge its heads"
    )


def named(options: argparse.Namespace) -> More:
    """Those that the options name."""
    witnesses = [WitnessKey.parse(vkey) for vkey in options.witness]
    quorum = len(witnesses) if options.quorum is None else options.quorum
    heads = [path.read_bytes() for path in options.compare]
    submitters = [path.read_bytes() for path in options.submitter]
    return More(
        Gossip(heads, witnesses, quorum),
        Entries([t_ledger(path.read_bytes()) for path in options.t_ledger]),
        submitted(submitters) if options.heads else None,
    )


def t_ledger(file: bytes) -> TLedger:
    """One that is trusted by its GenesisParams, or by its whole log, which is audited."""
    if file[:8] != b"TALLYLOG":
        return TLedger(ledger.parse_genesis(file))
    audit(io.BytesIO(file), file[12:44])
    leaves = [entry.leaf for entry in logcopy.LogCopy(io.BytesIO(file)).entries()]
    genesis = parse_leaf(leaves[0])
    if not isinstance(genesis, GenesisLeaf):
        raise Malformed("a log that begins with no genesis")
    hashes = [merkle.leaf_hash(leaf) for leaf in leaves]
    tree, roots = merkle.Tree(), {}
    for leaf, hashed in zip(leaves, hashes, strict=True):
        tree.add(hashed)
        if isinstance(parse_leaf(leaf), SealLeaf):
            roots[tree.size] = tree.root()
    return TLedger(ledger.parse_genesis(genesis.params), hashes, roots)


def submitted(params: Iterable[bytes]) -> SubmittedHeads:
    """The judge of a T-Ledger's heads, who has these ledgers' keys."""
    return SubmittedHeads({each.ledger_id: each for each in map(ledger.parse_genesis, params)})
