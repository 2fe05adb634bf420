package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.crypto.Sha256;
import io.tallystick.merkle.OpsRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The checks of the requests of one submission, one by one. Holds a hasher and what was seen so
/// far; made for one submission, not thread-safe.
final class RequestChecks {
  private final StrandId strand;
  private final Set<Feature> features;
  private final boolean batch;
  private final MessageDigest hasher = Sha256.newDigest();
  private final byte[] scratch = new byte[Digest.BYTES];
  private final DistinctDigests salts;
  private final DistinctDigests hashes;

  /// @param count of the requests
  RequestChecks(StrandId strand, Set<Feature> features, int count) {
    this.strand = strand;
    this.features = features;
    this.batch = count > 1;
    this.salts = new DistinctDigests(batch ? count : 0);
    this.hashes = new DistinctDigests(batch ? count : 0);
  }

  RequestHeader header(SignedRequest request) throws RequestRejectedException {
    RequestHeader header = decodeHeader(request.header());
    if (!header.strand().equals(strand)) {
      throw new RequestRejectedException(
          RejectionCode.WRONG_LEDGER,
          "request is for " + header.strand() + ", submitted to " + strand);
    }
    if (!header.kind().enabled()) {
      throw kindNotEnabled(header.kind());
    }
    if (batch && header.kind().governance()) {
      throw new RequestRejectedException(
          RejectionCode.BATCH_INVALID,
          "kind " + header.kind().code() + " must be submitted alone, not in a batch");
    }
    if (!header.clueIds().isEmpty() && !features.contains(Feature.CLUE_TRIE)) {
      throw featureNotEnabled(Feature.CLUE_TRIE, header.clueIds().size() + " clues");
    }
    if (header.opsCount() > 0 && !features.contains(Feature.STATE_FOREST)) {
      throw featureNotEnabled(Feature.STATE_FOREST, header.opsCount() + " operations");
    }
    return header;
  }

  private static RequestHeader decodeHeader(Bytes encoded) throws RequestRejectedException {
    try {
      return RequestHeader.decode(encoded);
    } catch (MalformedException e) {
      throw ClueRules.inHeader(encoded)
          .or(() -> OpRules.inHeader(encoded))
          .orElseGet(() -> SubmissionVerifier.refusedHeader(encoded, e));
    }
  }

  static RequestRejectedException kindNotEnabled(Kind kind) {
    return new RequestRejectedException(
        RejectionCode.KIND_NOT_ENABLED, "kind " + kind.code() + " (" + kind + ") is not enabled");
  }

  private static RequestRejectedException featureNotEnabled(Feature feature, String what) {
    return new RequestRejectedException(
        RejectionCode.FEATURE_NOT_ENABLED,
        what + " need feature " + feature.code() + " (" + feature + "), which is not enabled");
  }

  /// @throws RequestRejectedException if an earlier request of this submission has the same hash
  Digest requestHash(SignedRequest request) throws RequestRejectedException {
    request.header().updateInto(hasher);
    Sha256.finish(hasher, scratch, 0);
    Digest hash = Digest.of(scratch, 0);
    if (batch && !hashes.add(hash)) {
      throw new RequestRejectedException(
          RejectionCode.BATCH_INVALID, "requestHash " + hash + " is in the batch twice");
    }
    return hash;
  }

  /// Salt and body against the header that commits to them.
  void body(SignedRequest request, RequestHeader header) throws RequestRejectedException {
    salt(request.salt());
    if (request.body().size() != header.bodySizeBytes()) {
      throw mismatch(
          "body of " + request.body().size() + " bytes, the header says " + header.bodySizeBytes());
    }
    Commitments.body(hasher, request.salt(), request.body(), scratch);
    Digest commit = Digest.of(scratch, 0);
    if (!commit.equals(header.bodyCommit())) {
      throw mismatch("bodyCommit is " + commit + ", the header says " + header.bodyCommit());
    }
    Body body = decodeBody(request.body());
    contentType(body.contentType());
    clues(body, header);
    ops(request, header, body);
  }

  private static void ops(SignedRequest request, RequestHeader header, Body body)
      throws RequestRejectedException {
    Ops ops = OpRules.decode(request.ops());
    if (ops.size() != header.opsCount()) {
      throw mismatch(ops.size() + " operations, the header says " + header.opsCount());
    }
    OpsRoot root = rootOf(request.ops());
    if (!Objects.equals(root, header.opsRoot())) {
      throw mismatch("opsRoot is " + root + ", the header says " + header.opsRoot());
    }
    if (ops.size() == 0 && !body.values().isEmpty()) {
      throw mismatch(body.values().size() + " values, but the header has no operations");
    }
    OpRules.checkValues(ops, body.values(), request.salt());
  }

  private static @Nullable OpsRoot rootOf(Bytes ops) {
    try {
      return Ops.rootOf(ops);
    } catch (MalformedException e) {
      throw new AssertionError("operations that were decoded", e);
    }
  }

  private static Body decodeBody(Bytes encoded) throws RequestRejectedException {
    try {
      return Body.decodeWithoutPayload(encoded);
    } catch (MalformedException e) {
      throw ClueRules.inBody(encoded)
          .or(() -> OpRules.inBody(encoded))
          .orElseGet(() -> refusedBody(encoded, e));
    }
  }

  /// Tells a payload that is too large from a body that is none.
  private static RequestRejectedException refusedBody(Bytes encoded, MalformedException cause) {
    try {
      CborReader in = new CborReader(encoded);
      in.array();
      int payloadBytes = in.skipBytes();
      if (payloadBytes > Limits.PAYLOAD_BYTES_MAX) {
        return new RequestRejectedException(
                RejectionCode.TOO_LARGE,
                "payload of " + payloadBytes + " bytes, at most " + Limits.PAYLOAD_BYTES_MAX,
                cause)
            .withLimit(Limits.PAYLOAD_BYTES_MAX);
      }
    } catch (MalformedException e) {
      cause.addSuppressed(e);
    }
    return new RequestRejectedException(
        RejectionCode.MALFORMED, "body: " + cause.getMessage(), cause);
  }

  private static void contentType(String contentType) throws RequestRejectedException {
    int at = Body.controlAt(contentType);
    if (at >= 0) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED,
          String.format(
              Locale.ROOT,
              "body: content type has control character 0x%02x at %d",
              (int) contentType.charAt(at),
              at));
    }
  }

  private void clues(Body body, RequestHeader header) throws RequestRejectedException {
    if (body.clues().size() != header.clueIds().size()) {
      throw mismatch(
          body.clues().size() + " clue texts for " + header.clueIds().size() + " clue ids");
    }
    for (int i = 0; i < body.clues().size(); i++) {
      Digest clueId = Commitments.clueId(strand.ledger(), body.clues().get(i));
      if (!clueId.equals(header.clueIds().get(i))) {
        throw mismatch("clue text " + i + " does not hash to clue id " + header.clueIds().get(i));
      }
    }
  }

  /// The messages never show the salt.
  private void salt(Bytes salt) throws RequestRejectedException {
    if (salt.size() != Limits.SALT_BYTES) {
      throw new RequestRejectedException(
              RejectionCode.SALT_INVALID, "salt of " + salt.size() + " bytes, want 32")
          .withLimit(Limits.SALT_BYTES);
    }
    Digest value = Digest.of(salt);
    if (value.equals(Digest.ZERO)) {
      throw new RequestRejectedException(RejectionCode.SALT_INVALID, "salt is all zero");
    }
    if (batch && !salts.add(value)) {
      throw new RequestRejectedException(
          RejectionCode.SALT_INVALID, "an earlier request of the batch has the same salt");
    }
  }

  private static RequestRejectedException mismatch(String detail) {
    return new RequestRejectedException(RejectionCode.COMMITMENT_MISMATCH, detail);
  }
}
