package io.tallystick.client.internal.append;

import io.tallystick.api.v1.AppendRequest;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// One request, or a batch under one signature, ready to send: its bytes never change again, so all
/// attempts to send it are the same submission.
///
/// @param rotation if it is a key rotation, to which the service adds signatures
/// @param clientTimeMs of the latest request
/// @param expiresMs of the earliest one
public record SignedSubmission(
    StrandId strand,
    List<SignedRequest> requests,
    Bytes attestation,
    SubmittedLeaves leaves,
    Optional<Extension.KeyRotation> rotation,
    long clientTimeMs,
    long expiresMs,
    int sizeBytes) {
  /// @param drafts of one strand, one or a whole batch
  public static SignedSubmission sign(
      List<RequestDraft> drafts, Collection<? extends Signer> signers) {
    List<SignedRequest> requests = new ArrayList<>(drafts.size());
    List<Bytes> headers = new ArrayList<>(drafts.size());
    List<Digest> hashes = new ArrayList<>(drafts.size());
    long clientTimeMs = 0;
    long expiresMs = Long.MAX_VALUE;
    int sizeBytes = 0;
    for (RequestDraft draft : drafts) {
      SignedRequest request = draft.build();
      requests.add(request);
      headers.add(request.header());
      hashes.add(RequestHeader.hash(request.header()));
      clientTimeMs = Math.max(clientTimeMs, draft.clientTimeMs());
      expiresMs = Math.min(expiresMs, draft.expiresMs());
      sizeBytes = Math.addExact(sizeBytes, request.sizeBytes());
    }
    StrandId strand = drafts.getFirst().strand();
    Attestation attestation =
        drafts.size() == 1
            ? RequestSigner.sign(strand, hashes.getFirst(), signers)
            : RequestSigner.signBatch(strand, hashes, signers);
    Bytes encoded = attestation.encode();
    return new SignedSubmission(
        strand,
        requests,
        encoded,
        new SubmittedLeaves(headers, Attestation.hash(encoded), false),
        rotation(drafts),
        clientTimeMs,
        expiresMs,
        Math.addExact(sizeBytes, encoded.size()));
  }

  /// A proposal as a whole, with the signatures that it has.
  ///
  /// @throws IllegalStateException if nobody has signed it
  public static SignedSubmission of(Proposal proposal) {
    SignedRequest request = proposal.submitted();
    RequestHeader header = proposal.request();
    Bytes encoded = proposal.attestation().encode();
    return new SignedSubmission(
        header.strand(),
        List.of(request),
        encoded,
        new SubmittedLeaves(List.of(request.header()), Attestation.hash(encoded), false),
        rotation(header.extension()),
        header.clientTimeMs(),
        header.expiresMs(),
        Math.addExact(request.sizeBytes(), encoded.size()));
  }

  /// The same bytes as before.
  public static SignedSubmission of(
      StrandId strand, List<SignedRequest> requests, Bytes attestation) throws MalformedException {
    List<Bytes> headers = new ArrayList<>(requests.size());
    long clientTimeMs = 0;
    long expiresMs = Long.MAX_VALUE;
    int sizeBytes = attestation.size();
    Optional<Extension.KeyRotation> rotation = Optional.empty();
    for (SignedRequest request : requests) {
      RequestHeader header = RequestHeader.decode(request.header());
      if (!header.strand().equals(strand)) {
        throw new MalformedException(header.strand() + " among requests of " + strand);
      }
      headers.add(request.header());
      clientTimeMs = Math.max(clientTimeMs, header.clientTimeMs());
      expiresMs = Math.min(expiresMs, header.expiresMs());
      sizeBytes = Math.addExact(sizeBytes, request.sizeBytes());
      rotation = requests.size() == 1 ? rotation(header.extension()) : rotation;
    }
    return new SignedSubmission(
        strand,
        List.copyOf(requests),
        attestation,
        new SubmittedLeaves(headers, Attestation.hash(attestation), false),
        rotation,
        clientTimeMs,
        expiresMs,
        sizeBytes);
  }

  private static Optional<Extension.KeyRotation> rotation(List<RequestDraft> drafts) {
    return drafts.size() == 1 ? rotation(drafts.getFirst().extension()) : Optional.empty();
  }

  private static Optional<Extension.KeyRotation> rotation(Extension extension) {
    return extension instanceof Extension.KeyRotation rotation
        ? Optional.of(rotation)
        : Optional.empty();
  }

  public int count() {
    return requests.size();
  }

  public AppendRequest.Builder toProto(AppendRequest.Mode mode) {
    AppendRequest.Builder request =
        AppendRequest.newBuilder()
            .setLedgerId(WireBytes.toWire(strand.ledger().digest()))
            .setStrand(strand.strand())
            .setAttestation(WireBytes.toWire(attestation))
            .setMode(mode);
    for (SignedRequest each : requests) {
      request.addRequests(
          io.tallystick.api.v1.SignedRequest.newBuilder()
              .setHeader(WireBytes.toWire(each.header()))
              .setSalt(WireBytes.toWire(each.salt()))
              .setBody(WireBytes.toWire(each.body()))
              .setOps(WireBytes.toWire(each.ops())));
    }
    return request;
  }
}
