package io.tallystick.server.ship;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.stream.StreamPosition;
import java.util.ArrayList;
import java.util.List;

/// A shipped savepoint as a pointer names it. Source: docs/formats/shipped-savepoint.md.
///
/// @param position of the first frame that it has not
/// @param epoch of the writer of the savepoint
/// @param timeMs when it was published or pinned
/// @param manifest the piece that a {@link SavepointManifest} is
public record PublishedSavepoint(
    StreamPosition position, long epoch, long timeMs, ShippedPiece manifest) {
  private static final int FORMAT = 1;
  private static final int FIELDS = 8;
  private static final int SAVEPOINTS_MAX = 16;
  private static final int PART_BYTES_MAX = 64;

  PublishedSavepoint at(long ms) {
    return new PublishedSavepoint(position, epoch, ms, manifest);
  }

  boolean isSame(PublishedSavepoint other) {
    return manifest.equals(other.manifest);
  }

  static Bytes encode(List<PublishedSavepoint> all) {
    CborWriter out = new CborWriter().array(1 + all.size()).uint(FORMAT);
    for (PublishedSavepoint each : all) {
      ShippedPiece manifest = each.manifest;
      out.array(FIELDS).uint(each.position.frame()).uint(each.position.number());
      out.uint(each.epoch).uint(each.timeMs).digest(manifest.name()).uint(manifest.bytes());
      out.bytes(manifest.part()).uint(manifest.at());
    }
    return out.toBytes();
  }

  static List<PublishedSavepoint> decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    int count = in.arrayAtMost("savepoints", 1 + SAVEPOINTS_MAX) - 1;
    long format = in.uint();
    if (format != FORMAT) {
      throw new MalformedException("format " + format + ", want " + FORMAT);
    }
    List<PublishedSavepoint> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      in.array("savepoint", FIELDS);
      StreamPosition position = new StreamPosition(in.uint(), in.uint());
      long epoch = in.uint();
      long timeMs = in.uint();
      all.add(
          new PublishedSavepoint(
              position,
              epoch,
              timeMs,
              new ShippedPiece(
                  in.digest(),
                  (int) in.uint("manifest's bytes", Integer.MAX_VALUE),
                  Bytes.wrap(in.bytes("part", PART_BYTES_MAX)),
                  in.uint())));
    }
    in.end();
    return all;
  }
}
