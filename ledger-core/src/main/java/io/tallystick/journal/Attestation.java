package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The signatures under a submission: 1 to 16, or to 200 where the kind wants so many, ascending by
/// kid. Decoding checks form and order only; {@link AttestationVerifier} checks their content, and
/// their number against the kind once more.
public record Attestation(List<CoseSign1> signatures) {
  public Attestation {
    signatures = List.copyOf(signatures);
    if (signatures.isEmpty() || signatures.size() > Limits.SIGNERS_OF_ALL_MAX) {
      throw new IllegalArgumentException(
          signatures.size() + " signatures, want 1 to " + Limits.SIGNERS_OF_ALL_MAX);
    }
    for (int i = 1; i < signatures.size(); i++) {
      if (kid(signatures.get(i - 1)).compareTo(kid(signatures.get(i))) >= 0) {
        throw new IllegalArgumentException(
            "signature " + i + " is not above the one before, by kid");
      }
    }
  }

  /// In the order an attestation wants.
  public static Attestation of(List<CoseSign1> signatures) {
    return new Attestation(
        signatures.size() == 1
            ? signatures
            : signatures.stream().sorted(Comparator.comparing(Attestation::kid)).toList());
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(512 * signatures.size()).array(signatures.size());
    signatures.forEach(signature -> signature.encodeInto(out));
    return out.toBytes();
  }

  /// The hash by which the leaf commits to an encoded attestation.
  public static Digest hash(Bytes encoded) {
    return Sha256.hash(encoded.unsafeArray());
  }

  /// Decodes the attestation of genesis, of a batch, or of a request whose kind takes no more than
  /// 16 signatures.
  public static Attestation decode(Bytes encoded) throws MalformedException {
    return decode(encoded, Limits.SIGNERS_MAX);
  }

  /// Decodes the attestation of a request of `kind`, which says how many signatures there may be.
  public static Attestation decode(Bytes encoded, Kind kind) throws MalformedException {
    return decode(encoded, kind.signersMax());
  }

  private static Attestation decode(Bytes encoded, int signersMax) throws MalformedException {
    if (encoded.size() > Limits.ATTESTATION_BYTES_MAX) {
      throw new MalformedException(
          "attestation of " + encoded.size() + " bytes, at most " + Limits.ATTESTATION_BYTES_MAX);
    }
    CborReader in = new CborReader(encoded);
    int count = in.arrayAtMost("attestation", signersMax);
    List<CoseSign1> signatures = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      CoseSign1 signature = CoseSign1.decode(in);
      ProtectedHeader.kid(signature.protectedHeader());
      signatures.add(signature);
    }
    in.end();
    return Decoding.validated(() -> new Attestation(signatures));
  }

  private static Digest kid(CoseSign1 signature) {
    try {
      return ProtectedHeader.kid(signature.protectedHeader());
    } catch (MalformedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }
}
