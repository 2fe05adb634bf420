"""The worked examples of docs/formats, read from the pages and verified."""

import re
import unittest
from pathlib import Path

from tallyverify import cbor, checkpoint, cose, keys, ledger, merkle, receipt, request
from tallyverify.leaf import SealLeaf, parse_leaf
from tallyverify.rejected import Rejected

PAGES = Path(__file__).resolve().parents[2] / "docs" / "formats"


def text(page: str, name: str) -> str:
    """The block that a page shows under this name."""
    pattern = rf"```(?:hex|text) {name}\n(.*?)```"
    found = re.search(pattern, (PAGES / f"{page}.md").read_text("utf-8"), re.DOTALL)
    assert found, f"{page}.md has no {name}"
    return found.group(1)


def example(page: str, name: str) -> bytes:
    return bytes.fromhex("".join(re.sub("#.*", "", text(page, name)).split()))


def sample() -> ledger.Genesis:
    return ledger.parse_genesis(example("ledger", "genesis-params"))


def alice() -> keys.PublicKey:
    return next(owner for owner in sample().owners if owner.alg == keys.ED25519)


class Pages(unittest.TestCase):
    def refuses(self, reason: str, function, *arguments) -> None:
        with self.assertRaises(Rejected) as caught:
            function(*arguments)
        self.assertEqual(caught.exception.reason, reason)

    def test_reads_the_cbor_item_and_nothing_that_the_table_refuses(self) -> None:
        item = cbor.decode(example("cbor", "item"))
        self.assertEqual(item, [500, -70002, b"\1\2", "é", {1: True}, None])
        refused = "1817 5801aa 5f40ff 7f60ff 9fff bfff ff 1b8000000000000000 3b8000000000000000"
        refused += " f90000 c100 d81e80 c240 fa00000000 fb0000000000000000 a202000100 a201000100"
        refused += " 61ff 63eda080 62c080 e0 f7 f820 8101ff 81 a101 1c 5b7fffffffffffffff"
        refused += " 9b7fffffffffffffff"
        for encoded in refused.split() + ["81" * 5000 + "00", ""]:
            self.refuses("MALFORMED", cbor.decode, bytes.fromhex(encoded))

    def test_founds_the_sample_ledger(self) -> None:
        genesis = sample()
        salt = example("ledger", "name-salt")
        commit = merkle.hashlib.sha256(b"tallystick/name/1\0" + salt + b"sample").digest()
        self.assertEqual(commit, example("ledger", "name-commit"))
        self.assertEqual(genesis.ledger_id, example("ledger", "ledger-id"))
        self.assertIn(
            f"Origin of strand 0: `{genesis.origin(0)}`", (PAGES / "ledger.md").read_text()
        )

    def test_reads_request_body_and_header(self) -> None:
        header = request.parse_header(example("request", "header"))
        salt, body = example("request", "salt"), example("request", "body")
        self.assertEqual(header.body_commit, example("request", "body-commit"))
        self.assertEqual(header.request_hash, example("request", "request-hash"))
        request.check_body(header, salt, body)
        self.refuses("BODY_MISMATCH", request.check_body, header, bytes(32), body)
        found = request.clue_id(sample().ledger_id, "invoice 1")
        self.assertEqual(found, example("request", "clue-id"))

    def test_verifies_the_attestation(self) -> None:
        (signature,) = cose.attestation(example("signature", "attestation"))
        payload = example("request", "request-hash")
        self.assertEqual(signature.protected, example("signature", "protected"))
        self.assertEqual(signature.signed_bytes(payload), example("signature", "sig-structure"))
        self.assertEqual(signature.signature_id(payload), example("signature", "signature-id"))
        cose.check_request(signature, sample().ledger_id, 0, payload)
        signature.verify(alice(), payload)
        self.refuses("BAD_SIGNATURE", signature.verify, alice(), bytes(32))
        attest_hash = cose.attest_hash(example("signature", "attestation"))
        self.assertEqual(attest_hash, example("signature", "attest-hash"))

    def test_verifies_the_signature_of_a_batch(self) -> None:
        message = cose.sign1(cbor.decode(example("signature", "member-proof")))
        self.assertEqual(message.protected, example("signature", "batch-protected"))
        cose.check_batch(message, sample().ledger_id, 0, 3)
        message.verify(alice(), example("signature", "batch-root"))

    def test_reads_the_leaves(self) -> None:
        journal = parse_leaf(example("leaf", "journal"))
        self.assertEqual(journal.header, example("request", "header"))
        self.assertEqual(journal.attest_hash, example("signature", "attest-hash"))
        seal = parse_leaf(example("leaf", "seal"))
        self.assertIsInstance(seal, SealLeaf)
        self.assertEqual(seal.journal_root, example("leaf", "genesis-leaf-hash"))
        for name in ("seal", "journal"):
            found = merkle.leaf_hash(example("leaf", name))
            self.assertEqual(found, example("leaf", f"{name}-leaf-hash"))

    def test_builds_the_tree_of_three(self) -> None:
        hashes = [merkle.leaf_hash(leaf) for leaf in (b"a", b"b", b"c")]
        self.assertEqual(hashes, [example("merkle", f"leaf-{leaf}") for leaf in "abc"])
        self.assertEqual(merkle.node_hash(*hashes[:2]), example("merkle", "node-ab"))
        root = example("merkle", "root")
        self.assertEqual(merkle.root_over([b"a", b"b", b"c"]), root)
        path = [hashes[0], hashes[2]]
        self.assertEqual(merkle.inclusion_root(1, 3, path, hashes[1]), root)
        rows = merkle.range_rows(1, 3, path, hashes[1:2])
        self.assertEqual(rows[-1][0], root)
        self.assertEqual(merkle.inclusion_path(1, 3, rows), path)

    def test_verifies_the_checkpoint(self) -> None:
        genesis, note = sample(), text("checkpoint", "note").encode()
        head = checkpoint.verify(note, genesis.origin(0), genesis.note_key)
        self.assertEqual(head.size, 4)
        for reason, twin in (
            ("MALFORMED", note[:-1]),
            ("MALFORMED", note.replace(b"\n4\n", b"\n04\n")),
            ("MALFORMED", note.replace(b"\n4\n", b"\n4\nmore\n")),
            ("BAD_SIGNATURE", note.replace(b"\n4\n", b"\n5\n")),
            ("WRONG_ORIGIN", note.replace(b"localhost", b"remotehost")),
            ("SIZE_OUT_OF_RANGE", note.replace(b"\n4\n", b"\n0\n")),
            ("WRONG_KEY", note.replace(b"irb3", b"jrb3")),
        ):
            self.refuses(reason, checkpoint.verify, twin, genesis.origin(0), genesis.note_key)

    def test_verifies_the_receipt_file(self) -> None:
        genesis = sample()
        self.assertEqual(genesis.receipt_key.spki, example("receipt", "receipt-key"))
        leaf, item = receipt.read_file(example("receipt", "receipt-file"))
        self.assertEqual(leaf, example("receipt", "leaf"))
        head = receipt.verify(genesis, 0, leaf, item)
        self.assertEqual(head.size, 4)
        self.refuses("WRONG_LEDGER", receipt.verify, genesis, 1, leaf, item)
        self.refuses("WRONG_JSN", receipt.verify, genesis, 0, example("receipt", "seal"), item)

    def test_verifies_the_range_receipt_and_splits_it(self) -> None:
        encoded = example("receipt", "range-receipt")
        leaves = [example("receipt", "leaf"), example("receipt", "seal")]
        head, receipts = receipt.verify_range(sample(), 0, encoded, leaves)
        self.assertEqual(receipts[0], example("receipt", "receipt"))
        self.assertEqual(receipt.verify(sample(), 0, leaves[1], cbor.decode(receipts[1])), head)
        for at in range(len(encoded)):
            twin = bytearray(encoded)
            twin[at] ^= 1 << at % 8
            with self.assertRaises(Rejected, msg=f"byte {at}"):
                receipt.verify_range(sample(), 0, bytes(twin), leaves)
        self.refuses("LEAF_MISMATCH", receipt.verify_range, sample(), 0, encoded, leaves[:1])
        self.refuses("WRONG_JSN", receipt.verify_range, sample(), 0, encoded, leaves[::-1])


if __name__ == "__main__":
    unittest.main()
