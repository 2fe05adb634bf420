package io.tallystick.audit.replay;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Rows of one length, only ever appended: the first of them in memory, those that do not fit in a
/// temporary file. Not thread-safe.
final class RowTable implements AutoCloseable {
  private static final int BLOCK_BYTES = 1 << 16;
  private static final int NO_BLOCK = -1;
  private static final byte[] NOTHING = {};

  private final int rowBytes;
  private final int rowsPerBlock;
  private final ReplayMemory memory;
  private final List<byte[]> kept = new ArrayList<>();
  private byte[] open = NOTHING;
  private long count;
  private long[] spilled = new long[0];
  private int spilledCount;
  private @Nullable SpillFile file;
  private byte[] block = NOTHING;
  private byte[] fetched = NOTHING;
  private int fetchedNumber = NO_BLOCK;

  RowTable(int rowBytes, ReplayMemory memory) {
    this.rowBytes = rowBytes;
    this.rowsPerBlock = BLOCK_BYTES / rowBytes;
    this.memory = memory;
  }

  long count() {
    return count;
  }

  /// Makes room for one row more.
  ///
  /// @return where in {@link #block} it is to be written
  int append() throws IOException {
    int row = (int) (count % rowsPerBlock);
    if (row == 0) {
      nextBlock();
    }
    count++;
    block = open;
    return row * rowBytes;
  }

  private void nextBlock() throws IOException {
    if (count == 0) {
      open = new byte[rowsPerBlock * rowBytes];
    } else if (spilledCount == 0 && (kept.size() + 1L) * open.length <= memory.bytesMax()) {
      kept.add(open);
      open = new byte[open.length];
    } else {
      spill(open);
    }
  }

  private void spill(byte[] full) throws IOException {
    SpillFile to = file;
    if (to == null) {
      to = new SpillFile(memory.directory());
      file = to;
    }
    if (spilledCount == spilled.length) {
      spilled = Arrays.copyOf(spilled, Math.max(16, 2 * spilledCount));
    }
    spilled[spilledCount++] = to.write(full, full.length);
  }

  /// Makes a row readable.
  ///
  /// @return where in {@link #block} it begins
  int seek(long row) throws IOException {
    if (row < 0 || row >= count) {
      throw new IndexOutOfBoundsException("row " + row + " of " + count);
    }
    int number = (int) (row / rowsPerBlock);
    block = blockOf(number);
    return (int) (row % rowsPerBlock) * rowBytes;
  }

  private byte[] blockOf(int number) throws IOException {
    if (number < kept.size()) {
      return kept.get(number);
    }
    SpillFile from = file;
    int index = number - kept.size();
    if (from == null || index == spilledCount) {
      return open;
    }
    if (fetchedNumber != number) {
      fetchedNumber = NO_BLOCK;
      fetched = fetched.length == 0 ? new byte[open.length] : fetched;
      from.read(spilled[index], fetched, fetched.length);
      fetchedNumber = number;
    }
    return fetched;
  }

  /// That of the last {@link #append} or {@link #seek}.
  byte[] block() {
    return block;
  }

  /// Writes all rows, one behind the other.
  void writeTo(OutputStream out) throws IOException {
    for (long row = 0; row < count; row += rowsPerBlock) {
      int at = seek(row);
      out.write(block, at, (int) Math.min(rowsPerBlock, count - row) * rowBytes);
    }
  }

  /// Appends so many rows.
  void readFrom(InputStream in, long rows) throws IOException {
    for (long row = 0; row < rows; row++) {
      int at = append();
      if (in.readNBytes(block, at, rowBytes) != rowBytes) {
        throw new EOFException(
            String.format(Locale.ROOT, "the file ends after %d of %d rows", row, rows));
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
