package io.tallystick.client.internal.append;

import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import java.util.ArrayList;
import java.util.List;

/// The leaves a submission of ours becomes, but for the jsn and time that only the service gives:
/// what is kept of it once it is sent, without the bodies.
///
/// @param headers encoded, in order
/// @param delegated whether the service said that the key of a signer is
public record SubmittedLeaves(List<Bytes> headers, Digest attestHash, boolean delegated) {
  private static final int LEAF_OVERHEAD_BYTES = 96;

  public SubmittedLeaves {
    headers = List.copyOf(headers);
  }

  /// The same as the service has answered.
  public SubmittedLeaves marked(boolean asDelegated) {
    return asDelegated == delegated ? this : new SubmittedLeaves(headers, attestHash, asDelegated);
  }

  /// The same under an attestation to which the service has added signatures.
  SubmittedLeaves attested(Digest hash) {
    return new SubmittedLeaves(headers, hash, delegated);
  }

  public int count() {
    return headers.size();
  }

  public Bytes leaf(int index, long firstJsn, long timeMs) {
    CborWriter out = new CborWriter(headers.get(index).size() + LEAF_OVERHEAD_BYTES);
    encode(out, index, firstJsn, timeMs);
    return out.toBytes();
  }

  /// The hashes of all leaves, through one buffer.
  public List<Digest> hashes(long firstJsn, long timeMs) {
    CborWriter out = new CborWriter(headers.getFirst().size() + LEAF_OVERHEAD_BYTES);
    List<Digest> hashes = new ArrayList<>(headers.size());
    for (int i = 0; i < headers.size(); i++) {
      out.reset();
      encode(out, i, firstJsn, timeMs);
      hashes.add(TreeHasher.leafHash(out.buffer(), 0, out.length()));
    }
    return hashes;
  }

  private void encode(CborWriter out, int index, long firstJsn, long timeMs) {
    Bytes header = headers.get(index);
    Jsn jsn = new Jsn(firstJsn + index);
    int count = headers.size();
    if (delegated) {
      out.raw(new JournalLeaf(jsn, timeMs, header, attestHash, index, count, true).encode());
    } else {
      JournalLeaf.encode(out, jsn.value(), timeMs, header.unsafeArray(), attestHash, index, count);
    }
  }
}
