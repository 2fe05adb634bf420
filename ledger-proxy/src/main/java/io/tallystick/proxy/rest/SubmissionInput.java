package io.tallystick.proxy.rest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cose.BatchProtected;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.cose.RequestProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SignedRequest;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.proxy.execute.UnverifiedSubmission;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Submissions out of what arrived over HTTP. Signatures come as an attestation, or bare beside the
/// kid that made them, for clients that know no COSE: then the attestation is made here, of bytes
/// that the signature fixes.
record SubmissionInput(LedgerRegistry registry) {
  /// Where a request travels as one COSE_Sign1: `[header, salt, body]`, or `[header, salt, body,
  /// ops]`, in its unprotected header, which is taken off again, since the signed form has none.
  private static final long REQUEST_PARTS = -70003;

  /// @param in an object with header, salt, body and attestation or signatures; ended here
  UnverifiedSubmission single(StrandId strand, JsonInput in) throws RequestRejectedException {
    SignedRequest request = request(in);
    Bytes attestation =
        looksUpKeys(in)
            ? attestation(strand, RequestHeader.hash(request.header()), in)
            : in.bytes("attestation");
    return new UnverifiedSubmission(strand, List.of(request), attestation);
  }

  /// Whether signatures come with their keys' ids alone.
  static boolean looksUpKeys(JsonInput in) {
    return in.has("signatures");
  }

  UnverifiedSubmission batch(StrandId strand, JsonInput in) throws RequestRejectedException {
    List<SignedRequest> requests = new ArrayList<>();
    for (JsonInput each : in.objects("requests", Limits.BATCH_COUNT_MAX)) {
      requests.add(request(each));
      each.end();
    }
    if (requests.size() < Limits.BATCH_COUNT_MIN) {
      throw new RequestRejectedException(
              RejectionCode.BATCH_INVALID,
              "batch of " + requests.size() + ", want " + Limits.BATCH_COUNT_MIN + " or more")
          .withLimit(Limits.BATCH_COUNT_MIN);
    }
    Bytes attestation =
        looksUpKeys(in) ? batchAttestation(strand, requests.size(), in) : in.bytes("attestation");
    return new UnverifiedSubmission(strand, requests, attestation);
  }

  private static SignedRequest request(JsonInput in) throws RequestRejectedException {
    return new SignedRequest(
        in.bytes("header"),
        in.bytes("salt"),
        in.bytes("body"),
        in.optionalBytes("ops").orElse(Bytes.EMPTY));
  }

  /// Makes the attestation of bare signatures under one request.
  Bytes attestation(StrandId strand, Digest requestHash, JsonInput in)
      throws RequestRejectedException {
    List<CoseSign1> signatures = new ArrayList<>();
    for (JsonInput each : in.objects("signatures", Limits.SIGNERS_OF_ALL_MAX)) {
      PublicKey key = signer(strand, each.digest("kid"));
      RequestProtected header = new RequestProtected(key.algorithm(), key.kid(), strand);
      signatures.add(message(header, requestHash.toBytes(), each));
    }
    return encode(signatures, in);
  }

  private Bytes batchAttestation(StrandId strand, int count, JsonInput in)
      throws RequestRejectedException {
    List<CoseSign1> signatures = new ArrayList<>();
    for (JsonInput each : in.objects("signatures", Limits.SIGNERS_MAX)) {
      PublicKey key = signer(strand, each.digest("kid"));
      BatchProtected header = new BatchProtected(key.algorithm(), key.kid(), strand, count);
      signatures.add(message(header, null, each));
    }
    return encode(signatures, in);
  }

  /// A member's key, also a former one's: whether it may sign is decided at commit.
  PublicKey signer(StrandId strand, Digest kid) throws RequestRejectedException {
    return registry
        .memberKey(strand.ledger(), kid)
        .orElseThrow(() ->
            new RequestRejectedException(
                RejectionCode.UNKNOWN_KEY, "no member of this ledger has key " + kid));
  }

  @SuppressWarnings("NullAway") // a detached payload is null
  static CoseSign1 message(ProtectedHeader header, @Nullable Bytes payload, JsonInput in)
      throws RequestRejectedException {
    Bytes signature = in.bytes("signature");
    if (signature.size() != CoseSign1.SIGNATURE_BYTES) {
      throw in.refused(
          "signature", "has " + signature.size() + " bytes, want " + CoseSign1.SIGNATURE_BYTES);
    }
    in.end();
    return new CoseSign1(header.encode(), null, payload, signature);
  }

  static Bytes encode(List<CoseSign1> signatures, JsonInput in) throws RequestRejectedException {
    try {
      return Attestation.of(signatures).encode();
    } catch (IllegalArgumentException e) {
      throw in.refused("signatures", "are none, too many, or not of different keys");
    }
  }

  /// A tagged COSE_Sign1 of one signer, with its request in unprotected label -70003.
  static UnverifiedSubmission cose(StrandId strand, byte[] body) throws RequestRejectedException {
    try {
      CborReader in = new CborReader(Bytes.wrap(body));
      in.tag(18);
      in.array("COSE_Sign1", 4);
      Bytes protectedHeader =
          Bytes.wrap(in.bytes("protected header", CoseSign1.PROTECTED_BYTES_MAX));
      in.map("unprotected header", 1);
      in.key(REQUEST_PARTS);
      int parts = in.array();
      if (parts != 3 && parts != 4) {
        throw new MalformedException("request of " + parts + " items, want 3 or 4");
      }
      Bytes header = Bytes.wrap(in.bytes("header", Limits.HEADER_BYTES_MAX));
      Bytes salt = Bytes.wrap(in.bytes("salt", Limits.SALT_BYTES));
      Bytes requestBody = Bytes.wrap(in.bytes("body", Limits.REQUEST_BYTES_MAX));
      Bytes ops = parts == 3 ? Bytes.EMPTY : Bytes.wrap(in.bytes("ops", Limits.REQUEST_BYTES_MAX));
      Bytes payload = Bytes.wrap(in.bytes("payload", CoseSign1.PAYLOAD_BYTES_MAX));
      Bytes signature = Bytes.wrap(in.bytes("signature", CoseSign1.SIGNATURE_BYTES));
      in.end();
      if (signature.size() != CoseSign1.SIGNATURE_BYTES) {
        throw new MalformedException("signature of " + signature.size() + " bytes, want 64");
      }
      ProtectedHeader.kid(protectedHeader);
      Attestation attestation =
          Attestation.of(List.of(new CoseSign1(protectedHeader, null, payload, signature)));
      return new UnverifiedSubmission(
          strand, List.of(new SignedRequest(header, salt, requestBody, ops)), attestation.encode());
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "COSE request: " + e.getMessage(), e);
    }
  }

  /// Refuses all but kinds 16, 17 and 24.
  static void checkMemberKind(UnverifiedSubmission submission) throws RequestRejectedException {
    try {
      RequestHeader header = RequestHeader.decode(submission.requests().getFirst().header());
      switch (header.kind()) {
        case MEMBER_ADD, MEMBER_REVOKE, GRANT -> {
          return;
        }
        case APPEND, CLUE_DELETE, PARAMETERS, KEY_ROTATION, TIME, PURGE, OCCULT, RECALL, CLOSE ->
            throw new RequestRejectedException(
                RejectionCode.MALFORMED,
                "request of kind " + header.kind().code() + ", want 16, 17 or 24 here");
      }
    } catch (MalformedException e) {
      throw new RequestRejectedException(RejectionCode.MALFORMED, "header: " + e.getMessage(), e);
    }
  }
}
