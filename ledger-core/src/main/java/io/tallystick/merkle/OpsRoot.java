package io.tallystick.merkle;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// The root over the encoded operations of one request. Accepted only from its header.
public record OpsRoot(Digest digest) {
  public static OpsRoot over(List<Bytes> ops) {
    return new OpsRoot(TreeHasher.rootOverData(ops));
  }

  /// That an operation is one of them.
  ///
  /// @param ops encoded, all of the request, in order
  public static InclusionProof proof(List<Bytes> ops, int index) {
    List<Digest> path = new ArrayList<>();
    addPath(ops, Objects.checkIndex(index, ops.size()), path);
    return new InclusionProof(index, ops.size(), path);
  }

  /// RFC 9162 section 2.1.3.1: the path within the half that holds it, then the other half's root.
  private static void addPath(List<Bytes> ops, int index, List<Digest> path) {
    if (ops.size() == 1) {
      return;
    }
    int half = Integer.highestOneBit(ops.size() - 1);
    List<Bytes> left = ops.subList(0, half);
    List<Bytes> right = ops.subList(half, ops.size());
    if (index < half) {
      addPath(left, index, path);
      path.add(TreeHasher.rootOverData(right));
    } else {
      addPath(right, index - half, path);
      path.add(TreeHasher.rootOverData(left));
    }
  }

  @Override
  public String toString() {
    return digest.hex();
  }
}
