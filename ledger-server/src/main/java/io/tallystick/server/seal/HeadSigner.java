package io.tallystick.server.seal;

import io.tallystick.cose.ReceiptProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.head.ServiceKeys;
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
import io.tallystick.note.NoteKey;
import io.tallystick.note.SignedNote;
import io.tallystick.receipt.HeadSignature;
import io.tallystick.removal.ErasureStatement;
import io.tallystick.server.keys.KeyNotReadException;
import io.tallystick.server.keys.ServicePair;
import io.tallystick.server.keys.ServicePairs;
import io.tallystick.server.world.ServiceTerms;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Signs tree heads with the service's keys: each head with those that its ledger has for its size.
/// Ed25519 is deterministic, so a head signed again after a crash carries the same bytes.
/// Thread-safe.
public final class HeadSigner {
  private final ServicePairs pairs;

  /// All receipts of a block have the same.
  private volatile @Nullable EncodedHeader newest;

  public HeadSigner(ServicePairs pairs) {
    this.pairs = pairs;
  }

  /// With one pair of keys, which is never rotated.
  public HeadSigner(Authority authority, Signer noteKey, Signer receiptKey) {
    this(new ServicePairs(authority, List.of(new ServicePair(noteKey, receiptKey))));
  }

  public ServiceIdentity identity() {
    return pairs.identity();
  }

  public ServicePairs pairs() {
    return pairs;
  }

  /// The receipt key's signature over a head.
  ///
  /// @param keys of its ledger, at least as new as the head
  public Bytes sign(ServiceKeys keys, StrandId strand, long size, Digest root)
      throws KeyNotReadException {
    Signer receipt = pairs.receiptKey(keys.receiptKey(new TreeSize(size)));
    return sign(receipt, keys, strand, size, root);
  }

  /// The same if the key is known: nobody is waited for.
  public Optional<Bytes> signNow(ServiceKeys keys, StrandId strand, long size, Digest root) {
    return pairs
        .knownReceiptKey(keys.receiptKey(new TreeSize(size)))
        .map(receipt -> sign(receipt, keys, strand, size, root));
  }

  private static Bytes sign(
      Signer receipt, ServiceKeys keys, StrandId strand, long size, Digest root) {
    return HeadSignature.sign(
            receipt, keys.authority(), strand, new TreeSize(size), new JournalRoot(root))
        .signature();
  }

  /// A head signature from its stored 64 bytes.
  ///
  /// @param keys of its ledger, at least as new as the head
  public HeadSignature stored(ServiceKeys keys, StrandId strand, long size, Bytes signature) {
    return new HeadSignature(protectedHeader(keys, strand, size), signature);
  }

  /// Attests a request of the service's own (kind 20) by the receipt key in force.
  public Attestation attest(ServiceTerms service, StrandId strand, Digest requestHash)
      throws KeyNotReadException {
    Signer receipt = pairs.receiptKey(service.keys().receiptKey());
    return RequestSigner.signService(strand, requestHash, List.of(receipt), List.of());
  }

  /// The service's word, by the receipt key in force, that what a removal names is erased.
  public Bytes state(ServiceTerms service, ErasureStatement erased) throws KeyNotReadException {
    return erased.sign(pairs.receiptKey(service.keys().receiptKey()));
  }

  private Bytes protectedHeader(ServiceKeys keys, StrandId strand, long size) {
    EncodedHeader last = newest;
    if (last == null || last.size != size || !last.strand.equals(strand)) {
      TreeSize signed = new TreeSize(size);
      ReceiptProtected header =
          new ReceiptProtected(keys.receiptKey(signed).kid(), keys.authority(), strand, signed);
      last = new EncodedHeader(strand, size, header.encode());
      newest = last;
    }
    return last.encoded;
  }

  private record EncodedHeader(StrandId strand, long size, Bytes encoded) {}

  /// A head as a C2SP checkpoint, with a line of the valid note key, and one of the other for a
  /// while after a rotation.
  public Bytes checkpoint(StrandId strand, SealedHead head) throws KeyNotReadException {
    ServiceTerms terms = head.members().service();
    ServiceKeys keys = terms.keys();
    TreeSize size = new TreeSize(head.size());
    SignedNote note =
        Checkpoint.sign(
            pairs.noteKey(keys.noteKey(size)),
            keys.authority(),
            strand,
            size,
            new JournalRoot(head.root()));
    Optional<PublicKey> other = terms.otherNoteKey(head.size(), head.timeMs());
    if (other.isEmpty()) {
      return note.encode();
    }
    NoteKey named = new NoteKey(keys.authority().origin(strand), other.get());
    return note.alsoSigned(named, pairs.noteKey(other.get())).encode();
  }
}
