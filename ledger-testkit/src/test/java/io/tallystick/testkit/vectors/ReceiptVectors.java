package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.BatchProtected;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.cose.ReceiptProtected;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.receipt.HeadSignature;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;

/// Topic `receipt`: leaf 3 of the sample log's 12, and what is no receipt of it.
final class ReceiptVectors {
  private static final int JSN = 3;
  private static final int SIZE = 12;

  private final VectorSet set;
  private final ReferenceLedger log = ReferenceLedger.sample();
  private final Receipt good = log.receipt(JSN, SIZE);
  private final Bytes leaf = log.leaf(JSN);

  ReceiptVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    set.accept(made("journal-3-of-12", good.encode(), leaf));
    set.accept(made("genesis-of-12", log.receipt(0, SIZE).encode(), log.leaf(0)));
    set.accept(made("newest-seal", log.receipt(11, SIZE).encode(), log.leaf(11)));
    set.accept(file("file-of-journal-3", new ReceiptFile(leaf, good).encode()));
    places();
    heads();
    forms();
  }

  private void places() {
    for (int size : new int[] {9, 10, 11, 13, 14}) {
      // The same path leads to the same root at each of these: only the signed size tells.
      InclusionProof resized = new InclusionProof(JSN, size, good.proof().path());
      bad("one-receipt-at-five-sizes-" + size, "WRONG_SIZE", new Receipt(good.head(), resized));
    }
    refuse("leaf-jsn-differs-from-index", "WRONG_JSN", displaced().encode(), leaf);
    refuse("leaf-of-another-jsn", "WRONG_JSN", good.encode(), log.leaf(JSN + 1));
    ReferenceLedger other = ReferenceLedger.sample(100, 4, 4);
    refuse("leaf-of-another-log", "BAD_SIGNATURE", good.encode(), other.leaf(JSN));
    refuse("leaf-cut", "BAD_SIGNATURE", good.encode(), leaf.slice(0, leaf.size() - 1));
    refuse("leaf-empty", "MALFORMED", good.encode(), Bytes.EMPTY);
    Bytes entry = new CborWriter().array(2).uint(4).uint(JSN).toBytes();
    refuse("leaf-is-a-state-entry", "WRONG_TYPE", good.encode(), entry);
    bad(
        "index-equals-size",
        "INDEX_OUT_OF_RANGE",
        path(SIZE, good),
        ReferenceLedger.sample(0, 4, 4, 1).leaf(SIZE));
    bad("path-without-its-last-hash", "WRONG_PATH_LENGTH", shortened());
    InclusionProof flipped =
        new InclusionProof(JSN, SIZE, HashList.flipped(good.proof().path(), 1));
    bad("path-with-a-flipped-bit", "BAD_SIGNATURE", new Receipt(good.head(), flipped));
  }

  private void heads() {
    bad("signature-of-another-size", "BAD_SIGNATURE", signedAs(log.headSignature(7).signature()));
    Bytes flipped = Forge.flipBit(good.head().signature(), 40);
    bad("signature-with-a-flipped-bit", "BAD_SIGNATURE", signedAs(flipped));
    head("signed-by-the-note-key", "WRONG_KEY", Fixtures.NOTE, "localhost", log.strand());
    SeededSigner stranger = SeededSigner.ed25519("stranger");
    head("signed-by-another-key", "WRONG_KEY", stranger, "localhost", log.strand());
    head("authority-of-another-service", "WRONG_ORIGIN", Fixtures.RECEIPT, "other", log.strand());
    StrandId strand = new StrandId(log.strand().ledger(), 1);
    head("another-strand", "WRONG_LEDGER", Fixtures.RECEIPT, "localhost", strand);
    BatchProtected batch =
        new BatchProtected(
            SignatureAlgorithm.ED25519, Fixtures.RECEIPT.publicKey().kid(), log.strand(), SIZE);
    CoseSign1 signed =
        CoseSign1.detached(Fixtures.RECEIPT, batch, log.rootAt(SIZE).digest().toBytes());
    refuse(
        "batch-signature-as-a-receipt",
        "WRONG_TYPE",
        signed.withInclusionProof(InclusionProofBytes.encode(good.proof())).encode(),
        leaf);
  }

  private void forms() {
    CoseSign1 statement = good.head().statement(log.rootAt(SIZE));
    Bytes proof = InclusionProofBytes.encode(good.proof());
    malformed("payload-attached", statement.withInclusionProof(proof).encode());
    CoseSign1 bare = new CoseSign1(statement.protectedHeader(), null, null, statement.signature());
    malformed("inclusion-proof-missing", bare.encode());
    malformed("bytes-left-over", Forge.append(good.encode(), "00"));
    malformed("tag-missing", good.encode().slice(1, good.encode().size() - 1));
    malformed("cut", good.encode().slice(0, 100));
    Bytes file = new ReceiptFile(leaf, good).encode();
    set.refuse("MALFORMED", file("file-of-type-8", Forge.replaceStart(file, "8309", "8308")));
    set.refuse(
        "WRONG_JSN", file("file-with-another-leaf", new ReceiptFile(log.leaf(2), good).encode()));
  }

  /// A log that really holds leaf 3 once more at index 4, with a good signature over it.
  private Receipt displaced() {
    List<Bytes> leaves = new ArrayList<>(log.leaves(0, SIZE));
    leaves.set(JSN + 1, leaf);
    ReferenceTree tree = new ReferenceTree(leaves);
    HeadSignature head =
        HeadSignature.sign(
            Fixtures.RECEIPT,
            log.keys().authority(),
            log.strand(),
            new TreeSize(SIZE),
            new JournalRoot(tree.root(SIZE)));
    return new Receipt(head, new InclusionProof(JSN + 1, SIZE, tree.inclusionPath(JSN + 1, SIZE)));
  }

  private static Receipt path(int index, Receipt of) {
    return new Receipt(of.head(), new InclusionProof(index, SIZE, of.proof().path()));
  }

  private Receipt shortened() {
    List<Digest> path = good.proof().path();
    return new Receipt(
        good.head(), new InclusionProof(JSN, SIZE, path.subList(0, path.size() - 1)));
  }

  private Receipt signedAs(Bytes signature) {
    return new Receipt(new HeadSignature(good.head().protectedHeader(), signature), good.proof());
  }

  private void head(
      String name, String reason, SeededSigner signer, String authority, StrandId strand) {
    ReceiptProtected header =
        new ReceiptProtected(
            signer.publicKey().kid(), new Authority(authority), strand, new TreeSize(SIZE));
    CoseSign1 signed = CoseSign1.detached(signer, header, log.rootAt(SIZE).digest().toBytes());
    bad(
        name,
        reason,
        new Receipt(new HeadSignature(signed.protectedHeader(), signed.signature()), good.proof()));
  }

  private void malformed(String name, Bytes receipt) {
    refuse(name, "MALFORMED", receipt, leaf);
  }

  private void bad(String name, String reason, Receipt receipt) {
    refuse(name, reason, receipt.encode(), leaf);
  }

  private void bad(String name, String reason, Receipt receipt, Bytes of) {
    refuse(name, reason, receipt.encode(), of);
  }

  private void refuse(String name, String reason, Bytes receipt, Bytes of) {
    set.refuse(reason, made(name, receipt, of));
  }

  private VectorCase made(String name, Bytes receipt, Bytes of) {
    return ServiceCase.of(log, "receipt/" + name, "receipt", "leaf 3 of 12, or what claims it")
        .with("leaf", of)
        .with("receipt", receipt);
  }

  private VectorCase file(String name, Bytes encoded) {
    return ServiceCase.of(log, "receipt/" + name, "receiptFile", "a saved receipt")
        .with("file", encoded);
  }
}
