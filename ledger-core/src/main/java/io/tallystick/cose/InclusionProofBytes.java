package io.tallystick.cose;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import java.util.ArrayList;
import java.util.List;

/// The RFC 9942 form of an inclusion proof in an unprotected header: `[size, index, [path…]]`.
public final class InclusionProofBytes {
  /// A tree of fewer than 2⁶³ leaves has at most 63 levels.
  public static final int PATH_LENGTH_MAX = 63;

  private InclusionProofBytes() {}

  public static Bytes encode(InclusionProof proof) {
    CborWriter out = new CborWriter(24 + 34 * proof.path().size());
    out.array(3).uint(proof.size()).uint(proof.index()).array(proof.path().size());
    proof.path().forEach(out::digest);
    return out.toBytes();
  }

  /// Only the form is checked here; whether it proves anything is for {@link InclusionProof}.
  public static InclusionProof decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("inclusion proof", 3);
    long size = in.uint();
    long index = in.uint();
    int length = in.arrayAtMost("path", PATH_LENGTH_MAX);
    List<Digest> path = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      path.add(in.digest());
    }
    in.end();
    return new InclusionProof(index, size, path);
  }

  /// The proof a message carries.
  ///
  /// @throws ProofRejectedException with `MISSING` or `MALFORMED`
  public static InclusionProof of(CoseSign1 message) throws ProofRejectedException {
    if (message.inclusionProof() == null) {
      throw new ProofRejectedException(
          ProofRejectedException.Reason.MISSING, "no inclusion proof in the unprotected header");
    }
    try {
      return decode(message.inclusionProof());
    } catch (MalformedException e) {
      throw new ProofRejectedException(
          ProofRejectedException.Reason.MALFORMED, "inclusion proof: " + e.getMessage(), e);
    }
  }
}
