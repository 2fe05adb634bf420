package io.tallystick.client.wire;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.tallystick.api.WireArray;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;

/// Bytes of a message to and from values of the model. The service is not trusted: what has not the
/// form of evidence is rejected.
public final class WireBytes {
  private WireBytes() {}

  public static Bytes bytes(ByteString value) {
    return Bytes.wrap(WireArray.of(value));
  }

  public static ByteString toWire(Digest value) {
    return ByteString.copyFrom(value.toArray());
  }

  /// Shares the bytes, which never change.
  public static ByteString toWire(Bytes value) {
    return UnsafeByteOperations.unsafeWrap(value.unsafeArray());
  }

  public static Digest digest(String name, ByteString value) throws ProofRejectedException {
    if (value.size() != Digest.BYTES) {
      throw new ProofRejectedException(
          Reason.MALFORMED, name + " of " + value.size() + " bytes, want " + Digest.BYTES);
    }
    return Digest.of(WireArray.of(value));
  }

  /// @param max number of hashes
  public static List<Digest> digests(String name, List<ByteString> values, int max)
      throws ProofRejectedException {
    if (values.size() > max) {
      throw new ProofRejectedException(
          Reason.MALFORMED, name + " of " + values.size() + " hashes, at most " + max);
    }
    List<Digest> digests = new ArrayList<>(values.size());
    for (ByteString value : values) {
      digests.add(digest(name, value));
    }
    return digests;
  }
}
