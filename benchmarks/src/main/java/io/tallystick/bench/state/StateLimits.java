package io.tallystick.bench.state;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Digest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/// What this machine could do at best: the work that cannot be left out, and nothing else.
final class StateLimits {
  private static final int SALT_BYTES = 32;

  /// A value's hash covers a domain of 19 bytes and an opening of 32 in front of it.
  private static final int VALUE_HEAD_BYTES = 51;

  private static final int OP_BYTES = 78;
  private static final int LEAF_BYTES = 1 + 78;
  private static final int NODE_BYTES = 65;
  private static final int PAGE_BYTES = 4096;
  private static final int ENTRIES_OF_PAGE = 30;
  private static final long FILE_BYTES_MAX = 256L << 20;
  private static final int CHUNK_BYTES = 4 << 20;

  private final Path home;
  private final int valueBytes;

  /// @param home a folder for files meanwhile
  StateLimits(Path home, int valueBytes) {
    this.home = home;
    this.valueBytes = valueBytes;
  }

  /// Puts per second on one thread: the hash of the value, of the entry and of one node each; a
  /// checksum, one write and one force for each batch, into a file that has its size already.
  double puts(int puts, int batch) throws IOException {
    Path file = Files.createTempFile(home, "limit-", ".bin");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      PutLoop loop = new PutLoop(valueBytes, batch, puts);
      fill(channel, loop.fileBytes);
      loop.run(channel, Math.min(puts, 10 * batch));
      long started = System.nanoTime();
      long done = loop.run(channel, puts);
      return done * 1e9 / (System.nanoTime() - started);
    } finally {
      Files.delete(file);
    }
  }

  private static void fill(FileChannel channel, long bytes) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    byte[] random = new byte[CHUNK_BYTES];
    new SplittableRandom(1).nextBytes(random);
    for (long at = 0; at < bytes; at += CHUNK_BYTES) {
      chunk.clear();
      chunk.put(random).flip();
      channel.write(chunk, at);
    }
    channel.force(true);
  }

  private static final class PutLoop {
    private final MessageDigest sha = Sha256.newDigest();
    private final CRC32C crc = new CRC32C();
    private final byte[] hash = new byte[Digest.BYTES];
    private final byte[] message;
    private final int valueHashBytes;
    private final int itemBytes;
    private final int batch;
    private final ByteBuffer frame;
    private final long fileBytes;
    private long position;

    PutLoop(int valueBytes, int batch, int puts) {
      this.batch = batch;
      valueHashBytes = VALUE_HEAD_BYTES + valueBytes;
      message = new byte[Math.max(valueHashBytes, LEAF_BYTES)];
      new SplittableRandom(1).nextBytes(message);
      itemBytes = SALT_BYTES + valueBytes;
      int putBytes = itemBytes + OP_BYTES;
      frame = ByteBuffer.allocateDirect(batch * putBytes);
      fileBytes = Math.max(frame.capacity(), Math.min(FILE_BYTES_MAX, (long) puts * putBytes));
    }

    /// @return at least `puts`, in whole batches
    long run(FileChannel channel, int puts) throws IOException {
      long done = 0;
      while (done < puts) {
        frame.clear();
        for (int i = 0; i < batch; i++) {
          digest(valueHashBytes);
          digest(LEAF_BYTES);
          digest(NODE_BYTES);
          frame.put(message, 0, OP_BYTES);
          frame.put(message, valueHashBytes - itemBytes, itemBytes);
        }
        frame.flip();
        crc.reset();
        crc.update(frame);
        frame.rewind();
        position = position + frame.limit() > fileBytes ? 0 : position;
        position += channel.write(frame, position);
        channel.force(false);
        done += batch;
      }
      return done;
    }

    private void digest(int count) {
      sha.update(message, 0, count);
      Sha256.finish(sha, hash, 0);
      System.arraycopy(hash, 0, message, 0, hash.length);
    }
  }

  /// Reads per second on so many threads: a page and a value from random places of two files, and
  /// the value's hash.
  double gets(int keys, int gets, int threads) throws Exception {
    Path pages = Files.createTempFile(home, "limit-", ".pages");
    Path values = Files.createTempFile(home, "limit-", ".values");
    try (FileChannel pageChannel = channel(pages, (long) keys / ENTRIES_OF_PAGE * PAGE_BYTES);
        FileChannel valueChannel = channel(values, (long) keys * (SALT_BYTES + valueBytes))) {
      ReadLoop loop = new ReadLoop(pageChannel, valueChannel, SALT_BYTES + valueBytes);
      ReadThreads.run(threads, gets / threads, loop::run);
      return ReadThreads.run(threads, gets / threads, loop::run);
    } finally {
      Files.delete(pages);
      Files.delete(values);
    }
  }

  private static FileChannel channel(Path file, long bytes) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    fill(channel, bytes + CHUNK_BYTES);
    return channel;
  }

  private record ReadLoop(FileChannel pages, FileChannel values, int itemBytes) {
    private void run(SplittableRandom random, int count) throws IOException {
      MessageDigest sha = Sha256.newDigest();
      ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);
      ByteBuffer item = ByteBuffer.allocateDirect(itemBytes);
      byte[] hash = new byte[Digest.BYTES];
      long pageCount = pages.size() / PAGE_BYTES;
      long itemCount = values.size() / itemBytes;
      for (int i = 0; i < count; i++) {
        pages.read(page.clear(), random.nextLong(pageCount) * PAGE_BYTES);
        values.read(item.clear(), random.nextLong(itemCount) * itemBytes);
        sha.update(item.flip());
        Sha256.finish(sha, hash, 0);
      }
    }
  }
}
