package io.tallystick.server.seal;

import io.tallystick.cose.ReceiptProtected;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.RequestSigner;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.note.Checkpoint;
import io.tallystick.receipt.HeadSignature;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Signs tree heads with the service's keys. Ed25519 is deterministic, so a head signed again after
/// a crash carries the same bytes. Thread-safe.
public final class HeadSigner {
  private final Authority authority;
  private final Signer noteKey;
  private final Signer receiptKey;

  /// All receipts of a block have the same.
  private volatile @Nullable EncodedHeader newest;

  public HeadSigner(Authority authority, Signer noteKey, Signer receiptKey) {
    this.authority = authority;
    this.noteKey = noteKey;
    this.receiptKey = receiptKey;
  }

  public ServiceIdentity identity() {
    return new ServiceIdentity(authority, noteKey.publicKey(), receiptKey.publicKey());
  }

  /// The receipt key's signature over a head.
  public Bytes sign(StrandId strand, long size, Digest root) {
    return HeadSignature.sign(
            receiptKey, authority, strand, new TreeSize(size), new JournalRoot(root))
        .signature();
  }

  /// A head signature from its stored 64 bytes.
  public HeadSignature stored(StrandId strand, long size, Bytes signature) {
    return new HeadSignature(protectedHeader(strand, size), signature);
  }

  /// Attests a request of the service's own (kind 20).
  public Attestation attest(StrandId strand, Digest requestHash) {
    return RequestSigner.signService(strand, requestHash, List.of(receiptKey), List.of());
  }

  private Bytes protectedHeader(StrandId strand, long size) {
    EncodedHeader last = newest;
    if (last == null || last.size != size || !last.strand.equals(strand)) {
      ReceiptProtected header =
          new ReceiptProtected(receiptKey.publicKey().kid(), authority, strand, new TreeSize(size));
      last = new EncodedHeader(strand, size, header.encode());
      newest = last;
    }
    return last.encoded;
  }

  private record EncodedHeader(StrandId strand, long size, Bytes encoded) {}

  /// A head as a C2SP checkpoint.
  public Bytes checkpoint(StrandId strand, long size, Digest root) {
    return Checkpoint.sign(noteKey, authority, strand, new TreeSize(size), new JournalRoot(root))
        .encode();
  }
}
