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
  public record Signer(Digest kid, Digest signatureId) {}

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
    Bytes payload =
        headers.size() > 1
            ? BatchRoot.over(requestHashes).digest().toBytes()
            : requestHashes.getFirst().toBytes();
    return verifySignatures(strand, headers.size(), payload, attestation, keys, signatures);
  }

  /// The signatures alone, for a caller that has checked the headers: of this strand, distinct and
  /// none of governance in a batch.
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
    boolean batch = count > 1;
    List<Signer> signers = new ArrayList<>(attestation.signatures().size());
    for (CoseSign1 signature : attestation.signatures()) {
      ProtectedHeader header =
          batch ? batchHeader(signature, strand, count) : singleHeader(signature, strand, payload);
      byte[] structure = signature.sigStructure(payload);
      PublicKey key = key(header, keys);
      signature.verifyStructure(header, structure, key, signatures);
      signers.add(new Signer(key.kid(), Sha256.hash(structure)));
    }
    return List.copyOf(signers);
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

  private static ProtectedHeader singleHeader(CoseSign1 signature, StrandId strand, Bytes payload)
      throws ProofRejectedException {
    RequestProtected header = header(signature, RequestProtected.class);
    if (!header.strand().equals(strand)) {
      throw wrongLedger("signature", header.strand(), strand);
    }
    checkAttached(signature, payload, "the requestHash");
    return header;
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
