package io.tallystick.server.sim;

import io.tallystick.crypto.Sha256;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.node.AppendTicket.Committed;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A submission as its client made it: the same bytes each time it is sent.
final class Sent {
  private static final byte[] LEAF = {0};

  final SimLedger ledger;
  final VerifiedSubmission verified;
  final List<FakeSignatures.Key> signers;
  final List<Digest> ids;

  /// What the client was told.
  boolean answered;

  int attempts;

  /// The attestation that its leaves commit to: what it was sent with, and of a key rotation what
  /// the service made of that when it was decided last. A repeat has that of its original.
  Bytes attestation;

  /// Whether the key of a signer was delegated when it was decided last; a repeat decides nothing.
  boolean delegated;

  Sent(SimLedger ledger, VerifiedSubmission verified, List<FakeSignatures.Key> signers) {
    this.ledger = ledger;
    this.verified = verified;
    this.signers = signers;
    this.ids = verified.signatureIds();
    this.attestation = verified.attestationBytes();
  }

  int count() {
    return verified.requests().size();
  }

  /// The operations of each of its requests, none left out.
  List<Ops> operations() {
    List<Ops> operations = new ArrayList<>(count());
    for (SignedRequest request : verified.requests()) {
      try {
        operations.add(Ops.decode(request.ops()));
      } catch (MalformedException e) {
        throw new AssertionError(e);
      }
    }
    return operations;
  }

  /// Whether it depends on what the state holds.
  boolean isConditional() {
    return operations().stream()
        .flatMap(ops -> ops.values().stream())
        .anyMatch(op -> !(op.precondition() instanceof Precondition.None));
  }

  Kind kind() {
    return verified.headers().getFirst().kind();
  }

  SignedRequest request(int index) {
    return verified.requests().get(index);
  }

  /// The leaf that a journal of this submission must have.
  Bytes leaf(int index, long jsn, long timeMs, boolean delegated) {
    return new JournalLeaf(
            new Jsn(jsn),
            timeMs,
            request(index).header(),
            Attestation.hash(attestation),
            index,
            verified.requests().size(),
            delegated)
        .encode();
  }

  /// All of its leaves, where an answer says that they are.
  List<Bytes> leaves(Committed committed) {
    List<Bytes> leaves = new ArrayList<>(count());
    for (int i = 0; i < count(); i++) {
      leaves.add(leaf(i, committed.firstJsn() + i, committed.timeMs(), committed.delegated()));
    }
    return leaves;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s of %s journals %s by %s",
        kind(),
        count(),
        verified.headers().getFirst().extension(),
        verified.signerKids());
  }

  static Digest leafHash(Bytes leaf) {
    return Sha256.hash(LEAF, leaf.unsafeArray());
  }
}
