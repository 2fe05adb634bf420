package io.tallystick.proxy.edge;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.WireFormat;
import java.util.HashMap;
import java.util.Map;

/// Counts the values of a protobuf message before it is parsed: parsing makes an object of each,
/// and one that is empty comes in two bytes. Source: the encoding of Protocol Buffers.
///
/// What is no message of the wire format is counted as far as it goes; the parser refuses it.
final class ValueCount {
  /// What the smallest requests that fit a message have; a batch of 10,000 has a quarter of them.
  static final int VALUES_MAX = 160_000;

  /// Deeper the parser does not go either.
  private static final int DEPTH_MAX = 100;

  private static final int FIELDS_MAX = 64;
  private static final int TAG_TYPE_BITS = 3;
  private static final int VARINT_BITS = 7;

  /// The messages that a message holds, by field number; those of other fields are no messages.
  private final ValueCount[] parts = new ValueCount[FIELDS_MAX];

  private final boolean[] packed = new boolean[FIELDS_MAX];

  private ValueCount() {}

  static ValueCount of(Descriptor message) {
    return of(message, new HashMap<>());
  }

  private static ValueCount of(Descriptor message, Map<Descriptor, ValueCount> known) {
    ValueCount there = known.get(message);
    if (there != null) {
      return there;
    }
    ValueCount count = new ValueCount();
    known.put(message, count);
    for (FieldDescriptor field : message.getFields()) {
      if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        count.parts[field.getNumber()] = of(field.getMessageType(), known);
      }
      count.packed[field.getNumber()] = field.isRepeated() && field.isPackable();
    }
    return count;
  }

  /// Whether so many bytes hold more than {@link #VALUES_MAX} values, those in messages within
  /// counted.
  boolean isExceededBy(byte[] bytes, int size) {
    return size > VALUES_MAX && new Scan(bytes).count(this, size, 0) > VALUES_MAX;
  }

  /// One walk over the bytes.
  private static final class Scan {
    private static final long ENDED = -1;

    private final byte[] bytes;
    private int at;
    private int values;

    Scan(byte[] bytes) {
      this.bytes = bytes;
    }

    /// Counts on to `end`; leaves `at` there.
    int count(ValueCount message, int end, int depth) {
      while (at < end && values <= VALUES_MAX) {
        long tag = varint(end);
        values++;
        skip(message, tag, end, depth);
      }
      at = end;
      return values;
    }

    private void skip(ValueCount message, long tag, int end, int depth) {
      switch ((int) tag & ((1 << TAG_TYPE_BITS) - 1)) {
        case WireFormat.WIRETYPE_VARINT -> varint(end);
        case WireFormat.WIRETYPE_FIXED64 -> at += Long.BYTES;
        case WireFormat.WIRETYPE_FIXED32 -> at += Integer.BYTES;
        case WireFormat.WIRETYPE_START_GROUP, WireFormat.WIRETYPE_END_GROUP -> {}
        case WireFormat.WIRETYPE_LENGTH_DELIMITED -> {
          long length = varint(end);
          if (length < 0 || length > end - at) {
            at = end;
          } else {
            within(message, tag >>> TAG_TYPE_BITS, (int) length, depth);
          }
        }
        default -> at = end;
      }
    }

    private void within(ValueCount message, long field, int length, int depth) {
      int number = field < FIELDS_MAX ? (int) field : 0; // no field has number 0
      ValueCount part = message.parts[number];
      if (part != null && depth < DEPTH_MAX) {
        count(part, at + length, depth + 1);
        return;
      }
      values += message.packed[number] ? Math.min(length, VALUES_MAX) : 0;
      at += length;
    }

    /// The number at `at`, or {@link #ENDED}, and then there is nothing more.
    private long varint(int end) {
      long value = 0;
      for (int shift = 0; shift < Long.SIZE && at < end; shift += VARINT_BITS) {
        byte octet = bytes[at++];
        value |= (octet & 0x7FL) << shift;
        if (octet >= 0) {
          return value;
        }
      }
      at = end;
      return ENDED;
    }
  }
}
