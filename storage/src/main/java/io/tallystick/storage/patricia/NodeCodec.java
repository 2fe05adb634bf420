package io.tallystick.storage.patricia;

import io.tallystick.model.Digest;
import io.tallystick.storage.page.SlotSizes;
import io.tallystick.storage.page.SlotStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Nodes in slots, big-endian. The checksum covers the slot's address and all behind it, so a
/// misdirected write is noticed. One thread's.
///
/// ```
///  0        4      5
///  +--------+------+-----------------------------------------------------------+
///  | crc32c | 1    | key (32) | value length (1) | value                        |  leaf
///  | crc32c | 2    | which children (u16, bit n: nibble n) | reference (38) …  |  branch
///  | crc32c | 3    | nibble count (1) | nibbles, two a byte | reference (38)     |  extension
///  +--------+------+-----------------------------------------------------------+
///  reference: address of the child's slot (48 bits) | its hash (32)
/// ```
final class NodeCodec {
  private static final int LEAF = 1;
  private static final int BRANCH = 2;
  private static final int EXTENSION = 3;
  private static final int CRC_BYTES = Integer.BYTES;

  private final ByteBuffer buffer = ByteBuffer.allocate(SlotSizes.TRIES.bytesMax());
  private final byte[] hash = new byte[Digest.BYTES];
  private final CRC32C crc = new CRC32C();

  /// Encodes a node whose children have addresses, but for its checksum.
  ///
  /// @return the bytes it takes of {@link #array}
  int encode(Node node) {
    buffer.clear().position(CRC_BYTES);
    switch (node) {
      case LeafNode leaf -> {
        buffer.put((byte) LEAF).put(leaf.key);
        buffer.put((byte) leaf.value.length).put(leaf.value);
      }
      case BranchNode branch -> {
        buffer.put((byte) BRANCH).putShort((short) 0);
        int which = 0;
        for (int i = 0; i < BranchNode.WIDTH; i++) {
          Node child = branch.child(i);
          if (child != null) {
            which |= 1 << i;
            put(child);
          }
        }
        buffer.putShort(CRC_BYTES + 1, (short) which);
      }
      case ExtensionNode extension -> {
        byte[] nibbles = extension.nibbles;
        buffer.put((byte) EXTENSION).put((byte) nibbles.length);
        for (int i = 0; i < nibbles.length; i += 2) {
          int low = i + 1 < nibbles.length ? nibbles[i + 1] : 0;
          buffer.put((byte) ((nibbles[i] << 4) | low));
        }
        put(extension.onlyChild());
      }
      case RootHolder _, StoredNode _ -> throw new AssertionError("no node to store");
    }
    return buffer.position();
  }

  private void put(Node child) {
    if (child.address == Node.UNSAVED) {
      throw new AssertionError("a child without a slot");
    }
    buffer.putShort((short) (child.address >>> Integer.SIZE)).putInt((int) child.address);
    child.copyHash(hash, 0);
    buffer.put(hash);
  }

  /// Puts the checksum in front of what was encoded last.
  void seal(long address) {
    buffer.putInt(0, checksum(address, buffer.position()));
  }

  byte[] array() {
    return buffer.array();
  }

  /// The node in {@link #array}, as read from a slot.
  ///
  /// @param depth nibbles of the key above it
  /// @throws CorruptStreamException if it is none, or one of another slot
  Node decode(long address, int depth, SlotStore slots) throws CorruptStreamException {
    try {
      buffer.clear().position(CRC_BYTES);
      Node node =
          switch (buffer.get()) {
            case LEAF -> leaf(depth);
            case BRANCH -> branch();
            case EXTENSION -> extension();
            default -> null;
          };
      if (node != null && buffer.getInt(0) == checksum(address, buffer.position())) {
        node.address = address;
        return node;
      }
      throw slots.damage(address, "checksum of the node's slot is wrong");
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw slots.damage(address, "the node's slot has lengths beyond its end", e);
    }
  }

  private LeafNode leaf(int depth) {
    byte[] key = new byte[Nibbles.KEY_BYTES];
    buffer.get(key);
    byte[] value = new byte[buffer.get() & 0xff];
    buffer.get(value);
    return new LeafNode(0, key, value, depth, false);
  }

  private BranchNode branch() {
    BranchNode branch = new BranchNode(0);
    int which = buffer.getShort();
    for (int i = 0; i < BranchNode.WIDTH; i++) {
      if (((which >> i) & 1) == 1) {
        branch.set(i, reference());
      }
    }
    return branch;
  }

  private @Nullable ExtensionNode extension() {
    int count = buffer.get();
    if (count < 1 || count >= Nibbles.KEY_NIBBLES) {
      return null;
    }
    byte[] nibbles = new byte[count];
    for (int i = 0; i < count; i += 2) {
      int two = buffer.get();
      nibbles[i] = (byte) ((two >> 4) & 0xf);
      if (i + 1 < count) {
        nibbles[i + 1] = (byte) (two & 0xf);
      }
    }
    return new ExtensionNode(0, nibbles, reference());
  }

  private StoredNode reference() {
    long high = buffer.getShort() & 0xffffL;
    long low = buffer.getInt() & 0xffffffffL;
    buffer.get(hash);
    return new StoredNode((high << Integer.SIZE) | low, hash, 0);
  }

  private int checksum(long address, int end) {
    crc.reset();
    for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      crc.update((int) (address >>> shift) & 0xff);
    }
    crc.update(buffer.array(), CRC_BYTES, end - CRC_BYTES);
    return (int) crc.getValue();
  }
}
