package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Checks a submission, one request or a batch, as far as neither clock nor history is needed. A
/// refusal names the code, the actual and the expected value, and the member of the batch. The
/// order is: sizes, headers, signatures, an added key, bodies. So bodies are hashed only for known
/// signers. A key rotation comes with the signatures of members alone; the service adds its own.
/// Immutable and thread-safe.
public final class SubmissionVerifier {
  private final Signatures signatures;
  private final Set<Feature> features;

  /// @param features what is switched on; without the clue trie, clues are refused, without the
  ///   state forest, operations
  public SubmissionVerifier(Signatures signatures, Set<Feature> features) {
    this.signatures = signatures;
    this.features = Feature.setOf(features);
  }

  /// @param strand where it was submitted to; all signed contexts must name it
  /// @param requests one, or 2 to 10,000 of a batch in order
  public VerifiedSubmission verify(
      StrandId strand, List<SignedRequest> requests, Bytes attestation, KeyLookup keys)
      throws RequestRejectedException {
    checkSizes(requests, attestation);
    boolean batch = requests.size() > 1;
    RequestChecks checks = new RequestChecks(strand, features, requests.size());
    List<RequestHeader> headers = new ArrayList<>(requests.size());
    List<Digest> hashes = new ArrayList<>(requests.size());
    for (int i = 0; i < requests.size(); i++) {
      try {
        headers.add(checks.header(requests.get(i)));
        hashes.add(checks.requestHash(requests.get(i)));
      } catch (RequestRejectedException e) {
        throw batch ? e.atIndex(i) : e;
      }
    }
    Attestation decoded = decodeAttestation(attestation, headers.getFirst().kind());
    List<AttestationVerifier.Signer> signers = signers(strand, headers, hashes, decoded, keys);
    checkAddedKeys(headers.getFirst());
    checkBodies(checks, requests, headers);
    return new VerifiedSubmission(
        strand,
        requests,
        headers,
        hashes,
        decoded,
        attestation,
        Attestation.hash(attestation),
        signers);
  }

  /// A key that no verifier may accept would make the ledger fail every audit. Source:
  /// `docs/formats/key.md`.
  private void checkAddedKeys(RequestHeader header) throws RequestRejectedException {
    switch (header.extension()) {
      case Extension.MemberAdd add -> checkAddedKey(add.key(), "a member's");
      case Extension.Grant grant -> checkAddedKey(grant.key(), "a member's");
      case Extension.KeyRotation rotation -> {
        checkAddedKey(rotation.noteKey(), "the service's");
        checkAddedKey(rotation.receiptKey(), "the service's");
      }
      case Extension.None unused -> {}
      case Extension.MemberRevoke unused -> {}
      case Extension.Parameters unused -> {}
      case Extension.Time unused -> {}
      case Extension.Removal unused -> {}
      case Extension.Close unused -> {}
    }
  }

  private void checkAddedKey(PublicKey key, String whose) throws RequestRejectedException {
    try {
      signatures.checkKey(key);
    } catch (ProofRejectedException e) {
      throw new RequestRejectedException(
          RejectionCode.KEY_NOT_ALLOWED,
          "key " + key.kid() + " must not be " + whose + ": " + e.detail(),
          e);
    }
  }

  private static void checkBodies(
      RequestChecks checks, List<SignedRequest> requests, List<RequestHeader> headers)
      throws RequestRejectedException {
    for (int i = 0; i < requests.size(); i++) {
      try {
        checks.body(requests.get(i), headers.get(i));
      } catch (RequestRejectedException e) {
        throw requests.size() > 1 ? e.atIndex(i) : e;
      }
    }
  }

  private static void checkSizes(List<SignedRequest> requests, Bytes attestation)
      throws RequestRejectedException {
    if (requests.isEmpty()) {
      throw new RequestRejectedException(RejectionCode.MALFORMED, "submission without a request");
    }
    if (requests.size() > Limits.BATCH_COUNT_MAX) {
      throw tooLarge("batch", requests.size(), "requests", Limits.BATCH_COUNT_MAX);
    }
    boolean batch = requests.size() > 1;
    long total = attestation.size();
    for (int i = 0; i < requests.size(); i++) {
      SignedRequest request = requests.get(i);
      long size = request.sizeBytes() + (batch ? 0L : attestation.size());
      if (size > Limits.REQUEST_BYTES_MAX) {
        RequestRejectedException e = tooLarge("request", size, "bytes", Limits.REQUEST_BYTES_MAX);
        throw batch ? e.atIndex(i) : e;
      }
      total += request.sizeBytes();
    }
    if (total > Limits.BATCH_BYTES_MAX) {
      throw tooLarge("batch", total, "bytes", Limits.BATCH_BYTES_MAX);
    }
  }

  private static RequestRejectedException tooLarge(
      String what, long actual, String unit, long limit) {
    return new RequestRejectedException(
            RejectionCode.TOO_LARGE, what + " of " + actual + " " + unit + ", at most " + limit)
        .withLimit(limit);
  }

  private static Attestation decodeAttestation(Bytes encoded, Kind kind)
      throws RequestRejectedException {
    try {
      return Attestation.decode(encoded, kind);
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "attestation: " + e.getMessage(), e);
    }
  }

  private List<AttestationVerifier.Signer> signers(
      StrandId strand,
      List<RequestHeader> headers,
      List<Digest> hashes,
      Attestation attestation,
      KeyLookup keys)
      throws RequestRejectedException {
    try {
      if (headers.getFirst().kind() == Kind.KEY_ROTATION) {
        return AttestationVerifier.verifyMemberRotation(
            strand, headers.getFirst(), hashes.getFirst(), attestation, keys, signatures);
      }
      return AttestationVerifier.verify(strand, headers, hashes, attestation, keys, signatures);
    } catch (ProofRejectedException e) {
      throw refused(e);
    }
  }

  /// The refusal of a signature that does not verify.
  public static RequestRejectedException refused(ProofRejectedException e) {
    return new RequestRejectedException(code(e.reason()), "signature: " + e.detail(), e);
  }

  /// The message without the reason, whose place the code takes. What a failed attestation is
  /// called when it comes with a request.
  static RejectionCode code(ProofRejectedException.Reason reason) {
    return switch (reason) {
      case MALFORMED -> RejectionCode.MALFORMED;
      case WRONG_TYPE -> RejectionCode.WRONG_TYPE;
      case WRONG_LEDGER, WRONG_ORIGIN -> RejectionCode.WRONG_LEDGER;
      case WRONG_SIZE -> RejectionCode.BATCH_INVALID;
      case NOT_A_MEMBER -> RejectionCode.UNKNOWN_KEY;
      case COMMITMENT_MISMATCH -> RejectionCode.COMMITMENT_MISMATCH;
      case INDEX_OUT_OF_RANGE,
          SIZE_OUT_OF_RANGE,
          WRONG_PATH_LENGTH,
          ROOT_MISMATCH,
          LEAF_MISMATCH,
          WRONG_KEY,
          WRONG_JSN,
          WRONG_CLUE,
          BAD_SIGNATURE,
          BROKEN_CHAIN,
          FORK,
          ROLLBACK,
          MISSING ->
          RejectionCode.BAD_SIGNATURE;
    };
  }

  /// Tells a header this build does not carry out from one that is no header at all.
  static RequestRejectedException refusedHeader(Bytes encoded, MalformedException cause) {
    try {
      CborReader in = new CborReader(encoded);
      in.array("RequestHeader", RequestHeader.ITEMS);
      long version = in.uint();
      if (version != RequestHeader.VERSION) {
        return new RequestRejectedException(
            RejectionCode.UNSUPPORTED_VERSION,
            "RequestHeader of version " + version + ", want " + RequestHeader.VERSION,
            cause);
      }
      in.digest();
      in.uint();
      Kind kind = Kind.ofCode(in.uint());
      if (!kind.enabled()) {
        return RequestChecks.kindNotEnabled(kind);
      }
    } catch (MalformedException e) {
      cause.addSuppressed(e);
    }
    return new RequestRejectedException(
        RejectionCode.MALFORMED, "header: " + cause.getMessage(), cause);
  }
}
