package io.tallystick.testkit.export;

import io.tallystick.cose.BatchMemberProof;
import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.RequestSigner;
import io.tallystick.model.Digest;
import io.tallystick.receipt.Receipt;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import java.util.List;

/// Receipts for every leaf of a small log under each of its sealed heads, and what a batch member
/// can show of who signed it: both in the form of RFC 9942.
final class ReceiptCases {
  private static final int[] BATCH_COUNTS = {2, 7, 64};
  private static final int[] JOURNALS_PER_BLOCK = {1, 4, 7};

  private ReceiptCases() {}

  static void write(CaseFile file) throws Exception {
    Signatures signatures = SignatureProviders.best();
    ReferenceLedger log = ReferenceLedger.sample(0, JOURNALS_PER_BLOCK);
    int size = 2; // genesis and its seal
    writeReceipts(file, log, size, signatures);
    for (int journals : JOURNALS_PER_BLOCK) {
      size += journals + 1;
      writeReceipts(file, log, size, signatures);
    }
    for (int count : BATCH_COUNTS) {
      writeMembers(file, Fixtures.hashes(Fixtures.ledger().requests(0, count)), signatures);
    }
  }

  private static void writeReceipts(
      CaseFile file, ReferenceLedger log, int size, Signatures signatures) throws Exception {
    for (int jsn = 0; jsn < size; jsn++) {
      Receipt receipt = log.receipt(jsn, size);
      receipt.verify(log.leaf(jsn), log.strand(), log.keys(), signatures);
      file.add(
          new CaseLine("receipt")
              .hex("spki", log.keys().receiptKey().spki())
              .hex("message", receipt.encode())
              .hex("leaf", log.leaf(jsn))
              .number("index", jsn)
              .number("size", size)
              .text("issuer", log.keys().authority().value())
              .text("subject", log.keys().authority().origin(log.strand())));
    }
  }

  private static void writeMembers(CaseFile file, List<Digest> hashes, Signatures signatures)
      throws Exception {
    List<Signer> signers = SignatureCases.owners();
    Fixtures ledger = Fixtures.ledger();
    for (CoseSign1 message :
        RequestSigner.signBatch(ledger.strand(), hashes, signers).signatures()) {
      PublicKey key = SignatureCases.signerOf(message, signers);
      for (int index = 0; index < hashes.size(); index++) {
        CoseSign1 proof = BatchMemberProof.of(message, index, hashes);
        BatchMemberProof.verify(proof, ledger.strand(), hashes.get(index), key, signatures);
        file.add(
            SignatureCases.line("member", proof, signers)
                .hex("leaf", hashes.get(index))
                .number("index", index)
                .number("size", hashes.size()));
      }
    }
  }
}
