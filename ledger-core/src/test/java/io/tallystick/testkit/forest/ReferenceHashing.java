package io.tallystick.testkit.forest;

import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.reference.ReferenceTree;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.OptionalLong;

/// The hashes of `docs/formats/forest.md`, from the definition.
final class ReferenceHashing {
  private ReferenceHashing() {}

  static Digest node(ReferenceNode node) {
    List<Bytes> records = node.records();
    CborWriter out = new CborWriter();
    out.array(4).uint(node.level()).uint(records.size());
    out.digest(sha256(new byte[] {3}, separators(node.separators())));
    out.digest(root(records));
    return sha256(new byte[] {2}, out.toArray());
  }

  /// `[5, childHash, entryCount]`.
  static Bytes child(ReferenceNode child) {
    CborWriter out = new CborWriter();
    return out.array(3).uint(5).digest(child.hash()).uint(child.entryCount()).toBytes();
  }

  static Bytes partition(
      long number, long firstHeight, OptionalLong lastHeight, ReferenceNode root) {
    CborWriter out = new CborWriter();
    out.array(6).uint(6).uint(number).uint(firstHeight);
    if (lastHeight.isPresent()) {
      out.uint(lastHeight.getAsLong());
    } else {
      out.nil();
    }
    return out.uint(root.entryCount()).digest(root.hash()).toBytes();
  }

  static Digest forest(List<Bytes> partitions) {
    CborWriter out = new CborWriter();
    out.array(2).uint(partitions.size()).digest(root(partitions));
    byte[] domain = "tallystick/forest/1\0".getBytes(StandardCharsets.US_ASCII);
    return sha256(domain, out.toArray());
  }

  static Digest root(List<Bytes> records) {
    return new ReferenceTree(records).root(records.size());
  }

  private static byte[] separators(List<Bytes> separators) {
    int shared = separators.isEmpty() ? 0 : separators.getFirst().size();
    for (Bytes separator : separators) {
      while (!separator.hex().startsWith(separators.getFirst().slice(0, shared).hex())) {
        shared--;
      }
    }
    CborWriter out = new CborWriter();
    out.array(2).bytes(separators.isEmpty() ? Bytes.EMPTY : separators.getFirst().slice(0, shared));
    out.array(separators.size());
    for (Bytes separator : separators) {
      out.bytes(separator.slice(shared, separator.size() - shared));
    }
    return out.toArray();
  }

  private static Digest sha256(byte[] first, byte[] second) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(first);
      return Digest.of(digest.digest(second));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
