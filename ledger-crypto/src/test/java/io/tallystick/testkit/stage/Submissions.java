package io.tallystick.testkit.stage;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.Fixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/// The submissions of one shape, made once, for the stages that begin with them.
public final class Submissions {
  public static final Fixtures LEDGER = Fixtures.ledger();

  private Submissions() {}

  /// One submission as a client hands it in.
  public record Signed(List<SignedRequest> requests, Bytes attestation) {
    public Signed {
      requests = List.copyOf(requests);
    }
  }

  public static StrandId strand() {
    return LEDGER.strand();
  }

  public static KeyLookup keys() {
    PublicKey alice = Fixtures.ALICE.publicKey();
    Optional<PublicKey> found = Optional.of(alice);
    return kid -> kid.equals(alice.kid()) ? found : Optional.empty();
  }

  public static List<Signed> of(Shape shape) {
    SplittableRandom random = new SplittableRandom(1);
    Signer signer = shape.signer();
    List<Signed> submissions = new ArrayList<>();
    for (int i = 0; i < shape.submissions(); i++) {
      List<SignedRequest> requests = new ArrayList<>();
      for (int k = 0; k < shape.journalsEach(); k++) {
        requests.add(request(random));
      }
      submissions.add(new Signed(requests, attest(requests, signer)));
    }
    return submissions;
  }

  private static SignedRequest request(SplittableRandom random) {
    byte[] payload = new byte[Shape.PAYLOAD_BYTES];
    byte[] salt = new byte[32];
    random.nextBytes(payload);
    random.nextBytes(salt);
    return RequestDraft.append(
            strand(),
            Bytes.wrap(payload),
            "application/octet-stream",
            Fixtures.TIME_MS,
            Bytes.wrap(salt))
        .build();
  }

  private static Bytes attest(List<SignedRequest> requests, Signer signer) {
    List<Digest> hashes = new ArrayList<>();
    for (SignedRequest request : requests) {
      hashes.add(RequestHeader.hash(request.header()));
    }
    Attestation attestation =
        hashes.size() == 1
            ? RequestSigner.sign(strand(), hashes.getFirst(), List.of(signer))
            : RequestSigner.signBatch(strand(), hashes, List.of(signer));
    return attestation.encode();
  }
}
