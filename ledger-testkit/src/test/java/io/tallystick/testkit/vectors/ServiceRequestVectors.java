package io.tallystick.testkit.vectors;

import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/// Topic `attestation`: who must sign a request of the service's own, and how many may sign a
/// closing. `serviceKey` is the receipt key at that jsn.
final class ServiceRequestVectors {
  private static final SeededSigner RECEIPT = Fixtures.RECEIPT;
  private static final SeededSigner NEXT = Fixtures.NEXT_RECEIPT;

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();
  private final Extension.Time time =
      new Extension.Time(
          new TreeSize(2),
          new JournalRoot(Digest.fromHex("55".repeat(32))),
          Optional.empty(),
          new TimeProof.Token(Bytes.fromHex("30")));
  private final Extension.KeyRotation rotation =
      new Extension.KeyRotation(Fixtures.NEXT_NOTE.publicKey(), NEXT.publicKey());

  ServiceRequestVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    times();
    rotations();
    others();
    manySigners();
  }

  private void times() {
    set.accept(of("time", time(RECEIPT)));
    Submission stranger = time(NEXT);
    set.refuse("WRONG_KEY", of("time-by-another-receipt-key", stranger));
    set.refuse("WRONG_KEY", of("time-by-the-note-key", time(Fixtures.NOTE)));
    set.refuse("WRONG_KEY", of("time-by-two-service-keys", time(RECEIPT, NEXT)));
    Submission owner = ledger.govern(Kind.TIME, time, Fixtures.ALICE);
    set.refuse("WRONG_TYPE", of("time-by-an-owner", owner));
    Submission beside = ledger.service(Kind.TIME, time, List.of(RECEIPT), Fixtures.ALICE);
    set.refuse("WRONG_TYPE", of("time-by-an-owner-beside-the-receipt-key", beside));
    Submission typ = ledger.govern(Kind.TIME, time, RECEIPT);
    set.refuse("WRONG_TYPE", of("time-signed-as-a-members-request", typ));
    set.refuse("BAD_SIGNATURE", of("time-with-a-bent-signature", bent(time(RECEIPT))));
    SignedRequest request = time(RECEIPT).requests().getFirst();
    StrandId elsewhere = Fixtures.ledger(Fixtures.TIME_MS + 1).strand();
    set.refuse(
        "WRONG_LEDGER", of("time-signed-for-another-ledger", signed(request, elsewhere, request)));
    SignedRequest other = ledger.rotation().requests().getFirst();
    set.refuse(
        "COMMITMENT_MISMATCH",
        of("time-with-the-signature-of-a-rotation", signed(request, ledger.strand(), other)));
    set.refuse(
        "MISSING", of("time-where-no-receipt-key-is-known", time(RECEIPT), Optional.empty()));
  }

  private void rotations() {
    Submission good = ledger.rotation();
    set.accept(of("key-rotation", good));
    Submission twoOwners = rotation(rotation, List.of(RECEIPT, NEXT), both());
    set.accept(of("key-rotation-by-both-owners", twoOwners));
    Extension.KeyRotation noteOnly =
        new Extension.KeyRotation(Fixtures.NEXT_NOTE.publicKey(), RECEIPT.publicKey());
    set.accept(
        of("key-rotation-of-the-note-key-alone", rotation(noteOnly, List.of(RECEIPT), alice())));
    set.refuse(
        "MISSING", of("key-rotation-to-a-key-nobody-holds", rotate(List.of(RECEIPT), alice())));
    set.refuse(
        "MISSING", of("key-rotation-without-the-present-key", rotate(List.of(NEXT), alice())));
    set.refuse(
        "MISSING",
        of("key-rotation-by-a-thief-of-the-receipt-key", rotate(List.of(RECEIPT, NEXT))));
    Submission members = ledger.govern(Kind.KEY_ROTATION, rotation, both());
    set.refuse("MISSING", of("key-rotation-by-owners-alone", members));
    Submission note = rotate(List.of(RECEIPT, NEXT, Fixtures.NOTE), alice());
    set.refuse("WRONG_KEY", of("key-rotation-by-the-note-key-too", note));
    Submission owner = rotate(List.of(RECEIPT, NEXT, Fixtures.ALICE));
    set.refuse("WRONG_KEY", of("key-rotation-by-an-owner-as-the-service", owner));
    Submission receiptAsMember = rotate(List.of(NEXT), RECEIPT, Fixtures.ALICE);
    set.refuse("NOT_A_MEMBER", of("key-rotation-by-the-receipt-key-as-a-member", receiptAsMember));
    Submission carol = rotate(List.of(RECEIPT, NEXT), Fixtures.CAROL);
    set.refuse("NOT_A_MEMBER", of("key-rotation-by-a-stranger", carol));
    set.refuse("BAD_SIGNATURE", of("key-rotation-with-a-bent-signature", bent(good)));
    set.refuse(
        "WRONG_KEY", of("key-rotation-repeated-after-it", good, Optional.of(NEXT.publicKey())));
  }

  private void others() {
    Extension revoke = new Extension.MemberRevoke(Fixtures.BOB.publicKey().kid());
    set.refuse(
        "WRONG_TYPE", of("member-revoke-by-the-receipt-key", service(Kind.MEMBER_REVOKE, revoke)));
    set.refuse(
        "WRONG_TYPE",
        of("close-by-the-receipt-key", service(Kind.CLOSE, Extension.Close.INSTANCE)));
  }

  private void manySigners() {
    List<SeededSigner> many =
        IntStream.range(0, 17)
            .mapToObj(i -> SeededSigner.ed25519("signer " + i))
            .sorted(Comparator.comparing(signer -> signer.publicKey().kid()))
            .toList();
    List<Bytes> keys = many.stream().map(signer -> signer.publicKey().spki()).toList();
    SeededSigner[] all = many.toArray(SeededSigner[]::new);
    Submission close = ledger.govern(Kind.CLOSE, Extension.Close.INSTANCE, all);
    set.accept(of("close-by-17-signers", close).with("keys", keys));
    Extension revoke = new Extension.MemberRevoke(Fixtures.BOB.publicKey().kid());
    Submission revoked = ledger.govern(Kind.MEMBER_REVOKE, revoke, all);
    set.refuse("MALFORMED", of("member-revoke-by-17-signers", revoked).with("keys", keys));
    set.refuse(
        "NOT_A_MEMBER",
        of("close-with-a-stranger-behind-a-bent-signature", firstBent(close))
            .with("keys", keys.subList(0, 16)));
  }

  private static Submission firstBent(Submission close) {
    List<CoseSign1> signatures = new ArrayList<>(decode(close).signatures());
    CoseSign1 first = signatures.getFirst();
    signatures.set(0, Forge.withSignature(first, Forge.flipBit(first.signature(), 40)));
    return new Submission(close.requests(), new Attestation(signatures).encode());
  }

  private static Attestation decode(Submission close) {
    try {
      return Attestation.decode(close.attestation(), Kind.CLOSE);
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private Submission service(Kind kind, Extension extension) {
    return ledger.service(kind, extension, List.of(RECEIPT), Fixtures.ALICE);
  }

  private Submission time(Signer... service) {
    return ledger.service(Kind.TIME, time, List.of(service));
  }

  private Submission rotate(List<? extends Signer> service, Signer... members) {
    return rotation(rotation, service, members);
  }

  private Submission rotation(
      Extension.KeyRotation keys, List<? extends Signer> service, Signer... members) {
    return ledger.service(Kind.KEY_ROTATION, keys, service, members);
  }

  private static Signer[] alice() {
    return new Signer[] {Fixtures.ALICE};
  }

  private static Signer[] both() {
    return Fixtures.owners().toArray(Signer[]::new);
  }

  /// `request` under the receipt key's signature of another one, or for another strand.
  private static Submission signed(SignedRequest request, StrandId strand, SignedRequest of) {
    Digest hash = RequestHeader.hash(of.header());
    Attestation attestation = RequestSigner.signService(strand, hash, List.of(RECEIPT), List.of());
    return new Submission(List.of(request), attestation.encode());
  }

  private static Submission bent(Submission good) {
    int last = good.attestation().size() - 1;
    return new Submission(good.requests(), Forge.flipBit(good.attestation(), last));
  }

  private VectorCase of(String name, Submission submission) {
    return of(name, submission, Optional.of(RECEIPT.publicKey()));
  }

  private VectorCase of(String name, Submission submission, Optional<PublicKey> serviceKey) {
    VectorCase made =
        VectorCase.of("attestation/" + name, "attestation", name.replace('-', ' '))
            .with(ledger.strand())
            .with("keys", VectorCase.ownerKeys());
    return serviceKey
        .map(key -> made.with("serviceKey", key))
        .orElse(made)
        .with("headers", submission.requests().stream().map(SignedRequest::header).toList())
        .with("attestation", submission.attestation());
  }
}
