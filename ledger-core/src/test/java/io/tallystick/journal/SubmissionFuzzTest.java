package io.tallystick.journal;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.cose.BatchMemberProof;
import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fuzz.Edits;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// Goal: of all that {@link Edits} make of what members signed, the verifiers accept the genuine
/// alone and refuse the rest as documented. Method: Jazzer; `docs/testing.md`.
class SubmissionFuzzTest extends FuzzContract {
  private static final Fixtures LEDGER = Fixtures.ledger();
  private static final Signatures SIGNATURES = new JdkSignatures(new SplittableRandom(1));
  private static final SubmissionVerifier VERIFIER = new SubmissionVerifier(SIGNATURES, Set.of());

  private static final int PARTS_PER_REQUEST = 3;
  private static final Submission BATCH = LEDGER.batch(20, 5);
  private static final List<Digest> HASHES = Fixtures.hashes(BATCH.requests());

  private static final Edits SUBMISSIONS = new Edits(submissions());
  private static final Edits HEADERS = new Edits(headers());
  private static final Edits MEMBERS = new Edits(members());
  private static final Edits FOUNDINGS = new Edits(foundings());

  /// As bytes: the attestation, then header, salt and body of each request.
  private static List<List<Bytes>> submissions() {
    List<List<Bytes>> all = new ArrayList<>();
    for (Submission submission :
        List.of(
            LEDGER.single(1),
            LEDGER.single(2),
            LEDGER.submission(LEDGER.request(3), Fixtures.ALICE, Fixtures.BOB),
            LEDGER.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()),
            LEDGER.memberRevoke(Fixtures.BOB.publicKey().kid()),
            BATCH,
            LEDGER.batch(40, 2))) {
      List<Bytes> parts = new ArrayList<>();
      parts.add(submission.attestation());
      for (SignedRequest request : submission.requests()) {
        parts.add(request.header());
        parts.add(request.salt());
        parts.add(request.body());
      }
      all.add(parts);
    }
    return all;
  }

  /// As bytes: the attestation, then the headers.
  private static List<List<Bytes>> headers() {
    List<List<Bytes>> all = new ArrayList<>();
    for (List<Bytes> submission : submissions()) {
      List<Bytes> parts = new ArrayList<>();
      parts.add(submission.getFirst());
      for (int i = 1; i < submission.size(); i += PARTS_PER_REQUEST) {
        parts.add(submission.get(i));
      }
      all.add(parts);
    }
    return all;
  }

  /// As bytes: the requestHash, then the batch's signature with the proof.
  private static List<List<Bytes>> members() {
    List<List<Bytes>> all = new ArrayList<>();
    for (int i = 0; i < HASHES.size(); i++) {
      CoseSign1 signature = attestation(BATCH.attestation()).signatures().getFirst();
      all.add(List.of(HASHES.get(i).toBytes(), BatchMemberProof.of(signature, i, HASHES).encode()));
    }
    return all;
  }

  /// As bytes: the parameters, then the attestation.
  private static List<List<Bytes>> foundings() {
    Fixtures later = Fixtures.ledger(Fixtures.TIME_MS + 1);
    return List.of(
        List.of(LEDGER.params().encode(), LEDGER.genesisAttestation().encode()),
        List.of(later.params().encode(), later.genesisAttestation().encode()));
  }

  private static Attestation attestation(Bytes encoded) {
    try {
      return Attestation.decode(encoded);
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  @FuzzTest
  void submission(byte[] program) {
    attempt(
        () -> {
          List<Bytes> parts = SUBMISSIONS.apply(program);
          List<SignedRequest> requests = new ArrayList<>();
          for (int i = 1; i < parts.size(); i += PARTS_PER_REQUEST) {
            requests.add(new SignedRequest(parts.get(i), parts.get(i + 1), parts.get(i + 2)));
          }
          VERIFIER.verify(LEDGER.strand(), requests, parts.getFirst(), LEDGER.keys());
          SUBMISSIONS.requireGenuine(parts);
        },
        RequestRejectedException.class);
  }

  /// What an auditor checks when the bodies are gone.
  @FuzzTest
  void attestation(byte[] program) {
    attempt(
        () -> {
          List<Bytes> parts = HEADERS.apply(program);
          List<RequestHeader> headers = new ArrayList<>();
          List<Digest> hashes = new ArrayList<>();
          for (Bytes header : parts.subList(1, parts.size())) {
            headers.add(RequestHeader.decode(header));
            hashes.add(RequestHeader.hash(header));
          }
          AttestationVerifier.verify(
              LEDGER.strand(),
              headers,
              hashes,
              Attestation.decode(parts.getFirst()),
              LEDGER.keys(),
              SIGNATURES);
          HEADERS.requireGenuine(parts);
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  @FuzzTest
  void batchMember(byte[] program) {
    attempt(
        () -> {
          List<Bytes> parts = MEMBERS.apply(program);
          if (parts.getFirst().size() != Digest.BYTES) {
            throw new MalformedException("hash of " + parts.getFirst().size() + " bytes");
          }
          BatchMemberProof.verify(
              CoseSign1.decode(parts.get(1)),
              LEDGER.strand(),
              Digest.of(parts.getFirst()),
              Fixtures.ALICE.publicKey(),
              SIGNATURES);
          MEMBERS.requireGenuine(parts);
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  @FuzzTest
  void founding(byte[] program) {
    attempt(
        () -> {
          List<Bytes> parts = FOUNDINGS.apply(program);
          GenesisVerifier.verify(parts.getFirst(), Attestation.decode(parts.get(1)), SIGNATURES);
          FOUNDINGS.requireGenuine(parts);
        },
        MalformedException.class,
        ProofRejectedException.class);
  }
}
