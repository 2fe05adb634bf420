package io.tallystick.storage.object;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Locale;

/// An object to read.
public abstract class StoredObject implements AutoCloseable {
  private final KeptObject object;

  protected StoredObject(KeptObject object) {
    this.object = object;
  }

  /// Takes bytes in order.
  @FunctionalInterface
  public interface Sink {
    /// @param bytes which it consumes
    void write(ByteBuffer bytes) throws IOException;
  }

  /// Where it is, for people.
  protected abstract String where();

  /// How many bytes there are.
  protected abstract long size() throws IOException;

  /// Hands over all bytes, compared with nothing.
  protected abstract void read(Sink sink) throws IOException, CorruptStreamException;

  /// Hands over all of it, which counts once this returns.
  ///
  /// @throws CorruptStreamException if these are not the bytes that it is named by
  public final void copyTo(Sink sink) throws IOException, CorruptStreamException {
    MessageDigest sha256 = Sha256.newDigest();
    long[] count = {0};
    read(bytes -> {
      count[0] += bytes.remaining();
      sha256.update(bytes.duplicate());
      sink.write(bytes);
    });
    Digest found = Digest.of(sha256.digest());
    if (count[0] != object.bytes() || !found.equals(object.name())) {
      throw damaged(String.format(Locale.ROOT, "%d bytes with SHA-256 %s", count[0], found));
    }
  }

  /// All of it.
  ///
  /// @param bytesMax a longer one is damaged
  /// @throws CorruptStreamException if these are not the bytes that it is named by
  public final Bytes whole(int bytesMax) throws IOException, CorruptStreamException {
    long size = size();
    if (size > bytesMax) {
      throw damaged(String.format(Locale.ROOT, "%d bytes, want at most %d", size, bytesMax));
    }
    ByteBuffer whole = ByteBuffer.allocate((int) size);
    copyTo(whole::put);
    return Bytes.wrap(whole.array());
  }

  private CorruptStreamException damaged(String detail) {
    return new CorruptStreamException(where(), 0, detail);
  }

  @Override
  public abstract void close() throws IOException;
}
