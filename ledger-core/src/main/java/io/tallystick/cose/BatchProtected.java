package io.tallystick.cose;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;

/// The signature of a member over a whole batch: the detached payload is the root over the
/// requestHashes, and their count is signed with it.
public record BatchProtected(SignatureAlgorithm algorithm, Digest kid, StrandId strand, int count)
    implements ProtectedHeader {
  public static final int COUNT_MIN = 2;
  public static final int COUNT_MAX = 10_000;

  private static final int LABELS = 5;

  public BatchProtected {
    if (count < COUNT_MIN || count > COUNT_MAX) {
      throw new IllegalArgumentException(
          "batch of " + count + " requests, want " + COUNT_MIN + " to " + COUNT_MAX);
    }
  }

  @Override
  public String typ() {
    return BATCH_TYP;
  }

  @Override
  public Bytes encode() {
    CborWriter out =
        ProtectedHeader.begin(LABELS, algorithm, kid)
            .integer(Labels.TYP)
            .text(BATCH_TYP)
            .integer(Labels.VDS)
            .integer(Labels.RFC9162_SHA256);
    return Labels.writeStrand(out, Labels.CONTEXT, 4, strand).uint(count).toBytes();
  }

  static BatchProtected decode(Labels.Opening opening, CborReader in) throws MalformedException {
    SignatureAlgorithm algorithm = opening.demand(LABELS, false);
    Labels.constant(in, Labels.VDS, Labels.RFC9162_SHA256);
    StrandId strand = Labels.readStrand(in, Labels.CONTEXT, 4);
    long count = in.uint("batch count", COUNT_MAX);
    if (count < COUNT_MIN) {
      throw new MalformedException("batch of " + count + " requests, at least " + COUNT_MIN);
    }
    return new BatchProtected(algorithm, opening.kid(), strand, (int) count);
  }
}
