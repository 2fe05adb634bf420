package io.tallystick.testkit.vectors;

import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.util.List;

/// Topic `attestation`: what an auditor checks from retained bytes alone, bodies erased.
final class AttestationVectors {
  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();
  private final Submission single = ledger.single(1);
  private final Submission batch = ledger.batch(1, 3);

  AttestationVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    set.accept(of("single", single));
    set.accept(of("batch", batch));
    set.accept(
        of(
            "batch-of-two-signers",
            ledger.submission(batch.requests(), Fixtures.ALICE, Fixtures.BOB)));
    set.refuse("COMMITMENT_MISMATCH", of("of-another-request", mix(ledger.request(2), single)));
    set.refuse("WRONG_TYPE", of("of-a-batch-for-one-member", mix(ledger.request(1), batch)));
    set.refuse("WRONG_LEDGER", of("for-another-strand", single).with("strand", 1));
    set.refuse(
        "NOT_A_MEMBER", of("of-a-stranger", ledger.submission(ledger.request(1), Fixtures.CAROL)));
    set.refuse("NOT_A_MEMBER", of("of-members-revoked-since", single).with("keys", List.of()));
    Bytes bent = Forge.flipBit(single.attestation(), single.attestation().size() - 1);
    set.refuse("BAD_SIGNATURE", of("signature-bent", new Submission(single.requests(), bent)));
    set.refuse(
        "BAD_SIGNATURE",
        of(
            "signature-with-r-of-small-order",
            ledger.submission(ledger.request(1), Forge.withoutNonce(Fixtures.ALICE))));
    set.refuse(
        "WRONG_SIZE",
        of(
            "batch-without-its-last",
            new Submission(batch.requests().subList(0, 2), batch.attestation())));
    set.refuse(
        "BAD_SIGNATURE",
        of("batch-backwards", new Submission(batch.requests().reversed(), batch.attestation())));
    SignedRequest add =
        ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()).requests().getFirst();
    List<SignedRequest> governed = List.of(ledger.request(1), add);
    set.refuse(
        "MALFORMED", of("batch-with-a-member-add", ledger.submission(governed, Fixtures.ALICE)));
    List<SignedRequest> twice = List.of(ledger.request(1), ledger.request(1));
    set.refuse(
        "MALFORMED", of("batch-with-one-request-twice", ledger.submission(twice, Fixtures.ALICE)));
    Bytes truncated = single.attestation().slice(0, single.attestation().size() - 1);
    set.refuse("MALFORMED", of("truncated", new Submission(single.requests(), truncated)));
  }

  private static Submission mix(SignedRequest request, Submission signed) {
    return new Submission(List.of(request), signed.attestation());
  }

  private VectorCase of(String name, Submission submission) {
    return VectorCase.of("attestation/" + name, "attestation", name.replace('-', ' '))
        .with(ledger.strand())
        .with("keys", VectorCase.ownerKeys())
        .with("headers", submission.requests().stream().map(SignedRequest::header).toList())
        .with("attestation", submission.attestation());
  }
}
