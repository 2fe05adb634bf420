package io.tallystick.gpu.ptx;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;

/// A variable as it was written: `.align 4 .b8 name[8] = {1, 2}`.
///
/// @param bytes its size; 0 for `name[]`
record Declaration(String name, int alignmentBytes, long bytes, MemorySegment initial) {

  static final int ALIGNMENT_BYTES_MAX = 128;

  private static final long BYTES_MAX = 1 << 26;

  /// Reads what follows the state space, up to the sign behind it.
  static Declaration read(Tokens tokens) {
    int alignment = tokens.accept(".align") ? alignment(tokens) : 0;
    ScalarType type = type(tokens);
    String name = tokens.word();
    long count = tokens.isAt("[") ? count(tokens) : 1;
    long bytes = type.bytes() * count;
    if (bytes > BYTES_MAX) {
      throw tokens.fail(name + " has " + bytes + " bytes");
    }
    MemorySegment initial = tokens.accept("=") ? initial(tokens, type, count) : Variable.NO_BYTES;
    return new Declaration(name, Math.max(alignment, type.bytes()), bytes, initial);
  }

  /// A type in memory, as `.u32`.
  static ScalarType type(Tokens tokens) {
    String word = tokens.peek().text();
    ScalarType type =
        ScalarType.named(word.startsWith(".") ? word.substring(1) : "")
            .orElseThrow(() -> tokens.fail("'" + word + "' is no type that the interpreter knows"));
    tokens.take();
    return type;
  }

  private static int alignment(Tokens tokens) {
    long alignment = tokens.integer();
    if (alignment < 1 || alignment > ALIGNMENT_BYTES_MAX || Long.bitCount(alignment) != 1) {
      throw tokens.fail("alignment " + alignment);
    }
    return (int) alignment;
  }

  private static long count(Tokens tokens) {
    tokens.expect("[");
    long count = tokens.isAt("]") ? 0 : tokens.integer();
    tokens.expect("]");
    if (count < 0 || count > BYTES_MAX) {
      throw tokens.fail("an array of " + count);
    }
    return count;
  }

  private static MemorySegment initial(Tokens tokens, ScalarType type, long count) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    if (tokens.accept("{")) {
      do {
        append(bytes, tokens.integer(), type);
      } while (tokens.accept(","));
      tokens.expect("}");
    } else {
      append(bytes, tokens.integer(), type);
    }
    if (bytes.size() > type.bytes() * count) {
      throw tokens.fail(bytes.size() + " initial bytes");
    }
    return MemorySegment.ofArray(bytes.toByteArray()).asReadOnly();
  }

  private static void append(ByteArrayOutputStream bytes, long value, ScalarType type) {
    for (int i = 0; i < type.bytes(); i++) {
      bytes.write((int) (value >>> (8 * i)));
    }
  }
}
