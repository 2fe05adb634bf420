package io.tallystick.storage.array;

import io.tallystick.model.Bytes;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// The full chunks of a small array, each a row of the meta store that is written once. The rows
/// after the last full chunk are in the array's head.
final class MetaRows implements Backing {
  private static final int CHUNK_BYTES_MAX = 4096;

  private final MetaStore meta;
  private final ArrayId id;
  private final ArrayKeys keys;
  private final int chunkBytes;

  MetaRows(MetaStore meta, ArrayId id, ArrayKeys keys, int rowBytes) {
    this.meta = meta;
    this.id = id;
    this.keys = keys;
    this.chunkBytes = chunkBytes(rowBytes);
  }

  /// The size of a chunk: as many whole rows as 4 KiB hold, at least one. Part of the format.
  static int chunkBytes(int rowBytes) {
    return Math.max(1, CHUNK_BYTES_MAX / rowBytes) * rowBytes;
  }

  @Override
  public String name() {
    return "meta rows of array " + id;
  }

  @Override
  public void read(long position, byte[] into, int offset, int count)
      throws IOException, CorruptStreamException {
    int done = 0;
    while (done < count) {
      long number = (position + done) / chunkBytes;
      int within = (int) ((position + done) % chunkBytes);
      int step = Math.min(count - done, chunkBytes - within);
      System.arraycopy(chunk(number).unsafeArray(), within, into, offset + done, step);
      done += step;
    }
  }

  private Bytes chunk(long number) throws IOException, CorruptStreamException {
    Bytes chunk = meta.get(keys.chunk(number));
    if (chunk == null || chunk.size() != chunkBytes) {
      String found = chunk == null ? "no row" : chunk.size() + " bytes";
      throw new CorruptStreamException(name(), number * chunkBytes, found + ", want " + chunkBytes);
    }
    return chunk;
  }
}
