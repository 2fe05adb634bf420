package io.tallystick.journal;

import io.tallystick.cose.BatchProtected;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.cose.RequestProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.Signatures;
import io.tallystick.merkle.BatchRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;

/// Checks that an attestation really attests the requests it stands beside, by their headers alone:
/// bodies may be gone. Every signature must be good; the caller judges whether the signers suffice.
public final class AttestationVerifier {
  private AttestationVerifier() {}

  /// Whose signature was found good.
  ///
  /// @param signatureId what replay is judged by
  /// @param service whether it is a service key, in a request of the service's own; else a member
  public record Signer(Digest kid, Digest signatureId, boolean service) {
    /// A member.
    public Signer(Digest kid, Digest signatureId) {
      this(kid, signatureId, false);
    }
  }

  /// @param headers one, or all of a batch in order
  /// @param requestHashes the hashes of their encodings
  /// @return the signers, ascending by kid
  public static List<Signer> verify(
      StrandId strand,
      List<RequestHeader> headers,
      List<Digest> requestHashes,
      Attestation attestation,
      KeyLookup keys,
      Signatures signatures)
      throws ProofRejectedException {
    checkHeaders(strand, headers, requestHashes);
    if (headers.size() > 1) {
      Bytes root = BatchRoot.over(requestHashes).digest().toBytes();
      return verifySignatures(strand, headers.size(), root, attestation, keys, signatures);
    }
    RequestHeader only = headers.getFirst();
    Bytes payload = requestHashes.getFirst().toBytes();
    checkCount(attestation, only.kind().signersMax(), "kind " + only.kind().code());
    if (only.kind().serviceRequest()) {
      ServiceAttestation service = new ServiceAttestation(only, payload, keys);
      List<FoundKey> found = service.find(attestation.signatures());
      service.checkComplete(found);
      return verifyFound(found, payload, signatures);
    }
    return verifyFound(findMembers(strand, 1, payload, attestation, keys), payload, signatures);
  }

  /// The members' signatures under a key rotation that the service has not signed yet. None of the
  /// service's may be there.
  ///
  /// @return the signers, ascending by kid
  static List<Signer> verifyMemberRotation(
      StrandId strand,
      RequestHeader header,
      Digest requestHash,
      Attestation attestation,
      KeyLookup keys,
      Signatures signatures)
      throws ProofRejectedException {
    checkHeaders(strand, List.of(header), List.of(requestHash));
    Bytes payload = requestHash.toBytes();
    checkCount(attestation, header.kind().signersMax(), "kind " + header.kind().code());
    return verifyFound(findMembers(strand, 1, payload, attestation, keys), payload, signatures);
  }

  /// The signatures alone, for a caller that has checked the headers: of this strand, distinct and
  /// of kinds below 16.
  ///
  /// @param count of the requests
  /// @param payload the hash of the only request, or the root over the hashes of a batch
  /// @return the signers, ascending by kid
  public static List<Signer> verifySignatures(
      StrandId strand,
      int count,
      Bytes payload,
      Attestation attestation,
      KeyLookup keys,
      Signatures signatures)
      throws ProofRejectedException {
    checkCount(attestation, Limits.SIGNERS_MAX, count > 1 ? "a batch" : "an append");
    return verifyFound(findMembers(strand, count, payload, attestation, keys), payload, signatures);
  }

  /// Signatures of members that are collected one by one under a request, whatever its kind.
  ///
  /// @param payload the hash of the request
  /// @return the signers, ascending by kid
  public static List<Signer> verifyMembers(
      StrandId strand,
      Bytes payload,
      Attestation attestation,
      KeyLookup keys,
      Signatures signatures)
      throws ProofRejectedException {
    return verifyFound(findMembers(strand, 1, payload, attestation, keys), payload, signatures);
  }

  /// A signature whose header is right for its place, and the key of its kid; the signature itself
  /// is not verified yet.
  record FoundKey(CoseSign1 signature, ProtectedHeader header, PublicKey key, boolean service) {}

  /// All keys, before the first signature is verified: a stranger's kid costs no verification.
  private static List<FoundKey> findMembers(
      StrandId strand, int count, Bytes payload, Attestation attestation, KeyLookup keys)
      throws ProofRejectedException {
    List<FoundKey> found = new ArrayList<>(attestation.signatures().size());
    for (CoseSign1 signature : attestation.signatures()) {
      found.add(
          count > 1
              ? foundMember(signature, batchHeader(signature, strand, count), keys)
              : findMember(signature, strand, payload, keys));
    }
    return found;
  }

  static FoundKey findMember(CoseSign1 signature, StrandId strand, Bytes payload, KeyLookup keys)
      throws ProofRejectedException {
    RequestProtected header = header(signature, RequestProtected.class);
    checkSingle(signature, header.strand(), strand, payload);
    return foundMember(signature, header, keys);
  }

  private static FoundKey foundMember(CoseSign1 signature, ProtectedHeader header, KeyLookup keys)
      throws ProofRejectedException {
    return new FoundKey(signature, header, key(header, keys), false);
  }

  static List<Signer> verifyFound(List<FoundKey> found, Bytes payload, Signatures signatures)
      throws ProofRejectedException {
    List<Signer> signers = new ArrayList<>(found.size());
    for (FoundKey each : found) {
      byte[] structure = each.signature.sigStructure(payload);
      each.signature.verifyStructure(each.header, structure, each.key, signatures);
      signers.add(new Signer(each.key.kid(), Sha256.hash(structure), each.service));
    }
    return List.copyOf(signers);
  }

  private static void checkCount(Attestation attestation, int max, String of)
      throws ProofRejectedException {
    int count = attestation.signatures().size();
    if (count > max) {
      throw new ProofRejectedException(
          Reason.MALFORMED, count + " signatures of " + of + ", at most " + max);
    }
  }

  private static void checkHeaders(
      StrandId strand, List<RequestHeader> headers, List<Digest> requestHashes)
      throws ProofRejectedException {
    if (headers.isEmpty() || headers.size() != requestHashes.size()) {
      throw new IllegalArgumentException(
          headers.size() + " headers with " + requestHashes.size() + " hashes");
    }
    if (headers.size() > 1 && !DistinctDigests.areDistinct(requestHashes)) {
      throw new ProofRejectedException(Reason.MALFORMED, "a batch holds one request twice");
    }
    for (int i = 0; i < headers.size(); i++) {
      RequestHeader header = headers.get(i);
      if (!header.strand().equals(strand)) {
        throw wrongLedger("request " + i, header.strand(), strand);
      }
      if (headers.size() > 1 && header.kind().governance()) {
        throw new ProofRejectedException(
            Reason.MALFORMED, "kind " + header.kind().code() + " at " + i + " of a batch");
      }
    }
  }

  static void checkSingle(CoseSign1 signature, StrandId signed, StrandId strand, Bytes payload)
      throws ProofRejectedException {
    if (!signed.equals(strand)) {
      throw wrongLedger("signature", signed, strand);
    }
    checkAttached(signature, payload, "the requestHash");
  }

  private static ProtectedHeader batchHeader(CoseSign1 signature, StrandId strand, int count)
      throws ProofRejectedException {
    BatchProtected header = header(signature, BatchProtected.class);
    if (!header.strand().equals(strand)) {
      throw wrongLedger("signature", header.strand(), strand);
    }
    if (header.count() != count) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE, "signed for " + header.count() + " requests, here are " + count);
    }
    if (signature.payload() != null) {
      throw new ProofRejectedException(Reason.MALFORMED, "payload is attached, want it detached");
    }
    return header;
  }

  /// Reads a header of the wanted type from a message without unprotected labels.
  static <T extends ProtectedHeader> T header(CoseSign1 signature, Class<T> want)
      throws ProofRejectedException {
    T header = ProtectedHeader.decode(signature.protectedHeader(), want);
    if (signature.inclusionProof() != null) {
      throw new ProofRejectedException(Reason.MALFORMED, "unprotected header is not empty");
    }
    return header;
  }

  static void checkAttached(CoseSign1 signature, Bytes want, String what)
      throws ProofRejectedException {
    if (signature.payload() == null) {
      throw new ProofRejectedException(Reason.MALFORMED, "payload is detached, want it attached");
    }
    if (!signature.payload().equals(want)) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          "signed payload is " + signature.payload() + ", want " + what + " " + want);
    }
  }

  /// Looks the key up and checks the signature by it.
  static void verifySignature(
      CoseSign1 signature,
      ProtectedHeader header,
      Bytes payload,
      KeyLookup keys,
      Signatures signatures)
      throws ProofRejectedException {
    signature.verify(header, payload, key(header, keys), signatures);
  }

  private static PublicKey key(ProtectedHeader header, KeyLookup keys)
      throws ProofRejectedException {
    return keys.find(header.kid())
        .orElseThrow(() ->
            new ProofRejectedException(Reason.NOT_A_MEMBER, "no member has key " + header.kid()));
  }

  private static ProofRejectedException wrongLedger(String what, StrandId actual, StrandId want) {
    return new ProofRejectedException(
        Reason.WRONG_LEDGER, what + " is for " + actual + ", want " + want);
  }
}
