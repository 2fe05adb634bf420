package io.tallystick.testkit.fuzz;

import io.tallystick.model.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Genuine pieces of evidence, and what a small program makes of one of them: so that every input a
/// fuzzer tries is close to something valid, however the fuzzer came to it.
///
/// The program's first byte chooses the evidence; every four bytes that follow are one edit: its
/// kind and part, a position (u16), an operand. No bytes after the first leave the evidence as it
/// is.
public final class Edits {
  private static final int EDITS_MAX = 8;
  private static final int EDIT_BYTES = 4;
  private static final int SPLICE_BYTES = 32;
  private static final int CUT_BYTES_MAX = 64;

  private final List<List<Bytes>> genuine;
  private final Set<List<Bytes>> known;

  /// @param genuine all evidence there is, each in parts; parts with the same index are of one kind
  public Edits(List<List<Bytes>> genuine) {
    this.genuine = genuine.stream().map(List::copyOf).toList();
    this.known = new HashSet<>(this.genuine);
  }

  /// The parts of the edited evidence.
  public List<Bytes> apply(byte[] program) {
    if (program.length == 0) {
      return genuine.getFirst();
    }
    List<Bytes> parts = new ArrayList<>(evidence(program[0]));
    for (int i = 0; i < EDITS_MAX && 1 + (i + 1) * EDIT_BYTES <= program.length; i++) {
      edit(parts, program, 1 + i * EDIT_BYTES);
    }
    return parts;
  }

  /// Must be called with all that was accepted.
  public void requireGenuine(List<Bytes> accepted) {
    if (!known.contains(accepted)) {
      throw new AssertionError(
          "accepted what nobody signed: " + accepted.stream().map(Bytes::hex).toList());
    }
  }

  private List<Bytes> evidence(byte choice) {
    return genuine.get((choice & 0xff) % genuine.size());
  }

  private void edit(List<Bytes> parts, byte[] program, int at) {
    int part = (program[at] >>> 3 & 0x1f) % parts.size();
    byte[] old = parts.get(part).toArray();
    int position = (program[at + 1] & 0xff) << 8 | (program[at + 2] & 0xff);
    position = position % (old.length + 1);
    byte operand = program[at + 3];
    byte[] edited =
        switch (program[at] & 7) {
          case 0 -> changed(old, position, operand);
          case 1 -> changed(old, position, (byte) (at(old, position) ^ 1 << (operand & 7)));
          case 2 -> changed(old, position, (byte) (at(old, position) + operand));
          case 3 -> cut(old, position, 1 + (operand & 0xff) % CUT_BYTES_MAX);
          case 4 -> inserted(old, position, operand);
          case 5 -> cut(old, position, old.length);
          case 6 -> other(parts, part, operand);
          default -> spliced(old, position, other(parts, part, operand));
        };
    parts.set(part, Bytes.wrap(edited));
  }

  private static byte at(byte[] bytes, int position) {
    return position < bytes.length ? bytes[position] : 0;
  }

  private byte[] other(List<Bytes> parts, int part, byte operand) {
    List<Bytes> other = evidence(operand);
    return (part < other.size() ? other.get(part) : parts.get(part)).toArray();
  }

  private static byte[] changed(byte[] old, int position, byte value) {
    if (position < old.length) {
      old[position] = value;
    }
    return old;
  }

  private static byte[] cut(byte[] old, int position, int count) {
    int end = Math.min(old.length, position + count);
    byte[] cut = new byte[old.length - (end - position)];
    System.arraycopy(old, 0, cut, 0, position);
    System.arraycopy(old, end, cut, position, old.length - end);
    return cut;
  }

  private static byte[] inserted(byte[] old, int position, byte value) {
    byte[] longer = new byte[old.length + 1];
    System.arraycopy(old, 0, longer, 0, position);
    longer[position] = value;
    System.arraycopy(old, position, longer, position + 1, old.length - position);
    return longer;
  }

  private static byte[] spliced(byte[] old, int position, byte[] from) {
    int count = Math.min(SPLICE_BYTES, Math.min(old.length, from.length) - position);
    if (count > 0) {
      System.arraycopy(from, position, old, position, count);
    }
    return old;
  }
}
