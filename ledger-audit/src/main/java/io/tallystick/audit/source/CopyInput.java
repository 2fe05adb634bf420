package io.tallystick.audit.source;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.model.Bytes;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// A buffered reader of big-endian fields that tells a file that breaks off from one that is wrong.
/// It allocates only after a length has been bounded.
final class CopyInput implements Closeable {
  private static final int BUFFER_BYTES = 1 << 18;
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private final InputStream in;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int position;
  private int limit;
  private long consumed;

  CopyInput(InputStream in) {
    this.in = in;
  }

  /// How many bytes were taken from the beginning of the file.
  long consumed() {
    return consumed;
  }

  /// The stream has been moved there: forgets what was read ahead.
  void movedTo(long place) {
    position = 0;
    limit = 0;
    consumed = place;
  }

  /// Steps over bytes behind their length.
  void skipString(String name, int maxBytes) throws IOException, LogFormatException {
    skip(name, length(name, maxBytes));
  }

  void skip(String name, int count) throws IOException, LogFormatException {
    int done = 0;
    while (done < count) {
      if (position == limit && !fill()) {
        throw truncated(name, count, done);
      }
      int step = Math.min(count - done, limit - position);
      position += step;
      done += step;
    }
    consumed += count;
  }

  int u8(String name) throws IOException, LogFormatException {
    if (position == limit && !fill()) {
      throw truncated(name, 1, 0);
    }
    consumed++;
    return buffer[position++] & 0xff;
  }

  long u32(String name) throws IOException, LogFormatException {
    if (limit - position >= Integer.BYTES) {
      int value = (int) INT.get(buffer, position);
      position += Integer.BYTES;
      consumed += Integer.BYTES;
      return Integer.toUnsignedLong(value);
    }
    long value = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      value = value << 8 | u8(name);
    }
    return value;
  }

  /// Above 2⁶³−1 it is negative.
  long u64(String name) throws IOException, LogFormatException {
    long high = u32(name);
    return high << 32 | u32(name);
  }

  /// Bytes behind their length.
  Bytes string(String name, int maxBytes) throws IOException, LogFormatException {
    return bytes(name, length(name, maxBytes));
  }

  /// The same as the next field of `run`.
  void string(String name, int maxBytes, EntryRun run) throws IOException, LogFormatException {
    bytes(name, length(name, maxBytes), run);
  }

  private int length(String name, int maxBytes) throws IOException, LogFormatException {
    long length = u32(name);
    if (length > maxBytes) {
      throw LogFormatException.malformed(
          name + " of " + length + " bytes before byte " + consumed + ", at most " + maxBytes);
    }
    return (int) length;
  }

  Bytes bytes(String name, int count) throws IOException, LogFormatException {
    byte[] value = new byte[count];
    read(name, value, 0, count);
    return Bytes.wrap(value);
  }

  /// The same as the next field of `run`.
  void bytes(String name, int count, EntryRun run) throws IOException, LogFormatException {
    int at = run.field(count);
    read(name, run.bytes(), at, count);
  }

  private void read(String name, byte[] target, int at, int count)
      throws IOException, LogFormatException {
    int done = 0;
    while (done < count) {
      if (position == limit && !fill()) {
        throw truncated(name, count, done);
      }
      int step = Math.min(count - done, limit - position);
      System.arraycopy(buffer, position, target, at + done, step);
      position += step;
      done += step;
    }
    consumed += count;
  }

  void end() throws IOException, LogFormatException {
    if (position < limit || fill()) {
      throw LogFormatException.malformed("the file goes on after its end at byte " + consumed);
    }
  }

  private LogFormatException truncated(String name, int want, int found) {
    return LogFormatException.truncated(
        "the file breaks off in "
            + name
            + " at byte "
            + (consumed + found)
            + ": "
            + found
            + " bytes, want "
            + want);
  }

  private boolean fill() throws IOException {
    position = 0;
    limit = Math.max(0, in.read(buffer));
    return limit > 0;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
