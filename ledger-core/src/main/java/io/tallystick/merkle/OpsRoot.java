package io.tallystick.merkle;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.List;

/// The root over the encoded operations of one request. Accepted only from its header.
public record OpsRoot(Digest digest) {
  public static OpsRoot over(List<Bytes> ops) {
    return new OpsRoot(TreeHasher.rootOverData(ops));
  }

  @Override
  public String toString() {
    return digest.hex();
  }
}
