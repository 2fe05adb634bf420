package io.tallystick.testkit.forest;

import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.testkit.forest.ReferenceForest.Partition;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/// The file `snapshot/state` of a {@link ReferenceForest}: `docs/formats/audit-statement.md`,
/// "State as of a purge".
public final class ReferenceForestImage {
  private ReferenceForestImage() {}

  public static Bytes of(ReferenceForest forest) {
    return of(forest, forest.fold());
  }

  /// One that says something else of the fold.
  ///
  /// @param fold passEnd, position, S and B
  public static Bytes of(ReferenceForest forest, List<Long> fold) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.write(Bytes.utf8("TALLYSTI").toArray());
      out.writeInt(1);
      out.writeLong(forest.nextNumber());
      for (long number : fold) {
        out.writeLong(number);
      }
      out.writeInt(forest.partitions().size());
      for (Partition partition : forest.partitions()) {
        out.writeLong(partition.number());
        out.writeLong(partition.firstHeight());
        out.writeLong(partition.lastHeight().orElse(-1));
        out.writeLong(partition.entries().size());
        out.write(ReferenceHashing.node(partition.root()).toArray());
      }
      for (Partition partition : forest.partitions()) {
        write(partition.root(), out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Bytes.wrap(bytes.toByteArray());
  }

  private static void write(ReferenceNode node, DataOutputStream out) throws IOException {
    out.writeByte(node.level());
    out.writeShort(node.records().size());
    switch (node) {
      case ReferenceNode.Leaf leaf -> {
        for (StateEntry entry : leaf.entries().values()) {
          string(entry.encode(), out);
        }
      }
      case ReferenceNode.Inner inner -> {
        for (Bytes separator : inner.separators()) {
          string(separator, out);
        }
        for (ReferenceNode child : inner.children()) {
          write(child, out);
        }
      }
    }
  }

  private static void string(Bytes value, DataOutputStream out) throws IOException {
    out.writeShort(value.size());
    out.write(value.toArray());
  }
}
