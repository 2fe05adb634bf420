package io.tallystick.server.seal;

import io.tallystick.cose.CoseSign1;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.keys.KeyNotReadException;
import io.tallystick.server.world.ServiceTerms;
import java.util.List;

/// Makes requests of kind 20 on the service's behalf. Source: `docs/formats/people-and-time.md`.
public final class TimeRequest {
  private TimeRequest() {}

  /// A request that holds for leaves within 10 s of its proof's time: its window says so.
  ///
  /// @param genTimeMs of the proof
  /// @param salt 32 bytes, never used before
  /// @param service the keys in force; the sequencer refuses those of before a rotation
  public static VerifiedSubmission sign(
      StrandId strand,
      Extension.Time time,
      long genTimeMs,
      Bytes salt,
      HeadSigner signer,
      ServiceTerms service)
      throws KeyNotReadException {
    SignedRequest request =
        RequestDraft.govern(
                strand, Kind.TIME, time, inRange(genTimeMs - Limits.TIME_PROOF_SKEW_MS_MAX), salt)
            .withExpiry(inRange(genTimeMs + Limits.TIME_PROOF_SKEW_MS_MAX))
            .build();
    Digest hash = RequestHeader.hash(request.header());
    Attestation attestation = signer.attest(service, strand, hash);
    Bytes encoded = attestation.encode();
    CoseSign1 signature = attestation.signatures().getFirst();
    Digest kid = service.keys().receiptKey().kid();
    return new VerifiedSubmission(
        strand,
        List.of(request),
        List.of(headerOf(request)),
        List.of(hash),
        attestation,
        encoded,
        Attestation.hash(encoded),
        List.of(new AttestationVerifier.Signer(kid, signature.signatureId(hash.toBytes()), true)));
  }

  /// The time that the proof of such a request gives, out of the window made for it.
  public static long genTimeMs(RequestHeader header) {
    return header.expiresMs() - Limits.TIME_PROOF_SKEW_MS_MAX;
  }

  private static long inRange(long timeMs) {
    return Math.clamp(timeMs, 0, Limits.TIME_MS_MAX);
  }

  private static RequestHeader headerOf(SignedRequest request) {
    try {
      return RequestHeader.decode(request.header());
    } catch (MalformedException e) {
      throw new AssertionError("a header just made does not decode", e);
    }
  }
}
