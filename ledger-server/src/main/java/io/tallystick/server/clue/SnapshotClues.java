package io.tallystick.server.clue;

import io.tallystick.crypto.Keccak256;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.clue.ClueIndex;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The clues of the blocks that a purge removes, as an auditor takes them over: one file beside
/// each {@link ClueImage}, served as `snapshot/clues`. Source: `docs/formats/audit-statement.md`,
/// "Clues".
public final class SnapshotClues {
  public static final String SUFFIX = ".tallyclu";
  private static final byte[] MAGIC = "TALLYCLU".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int WRITE_BYTES = 256 << 10;
  private static final int RECORD_BYTES_MAX = 2 * Digest.BYTES + 16 + Long.SIZE * Digest.BYTES;

  private SnapshotClues() {}

  static String name(StrandId strand, long height) {
    return String.format(
        Locale.ROOT,
        "%s/%s-%d-%d%s",
        ClueImage.DIRECTORY,
        strand.ledger().digest().hex(),
        strand.strand(),
        height,
        SUFFIX);
  }

  /// How a clue stands behind the last block.
  private static final class Standing {
    final Digest clueId;
    final Digest key;
    long count;
    long deletedJsn;

    Standing(Digest clueId) {
      this.clueId = clueId;
      byte[] key = new byte[Digest.BYTES];
      Keccak256.hash(clueId.toArray(), 0, Digest.BYTES, key, 0);
      this.key = Digest.of(key);
    }
  }

  /// Writes the file from the image, durable on return. Takes some 200 bytes of memory for each
  /// clue.
  ///
  /// @param lastHeight of an image that is finished
  public static void write(Disk disk, StrandIndex strand, long lastHeight)
      throws IOException, CorruptStreamException {
    List<Standing> clues = standings(disk, strand, lastHeight);
    ClueIndex index = StrandClues.of(strand).index();
    String name = name(strand.strand(), lastHeight);
    disk.delete(name + ClueImage.NEW);
    try (DiskFile file = disk.open(name + ClueImage.NEW)) {
      ByteBuffer buffer = ByteBuffer.allocate(WRITE_BYTES);
      buffer.put(MAGIC).putInt(VERSION).putLong(clues.size());
      long position = 0;
      for (Standing clue : clues) {
        if (buffer.remaining() < RECORD_BYTES_MAX) {
          position += write(file, position, buffer);
        }
        clue.key.copyInto(buffer.array(), buffer.position());
        buffer.position(buffer.position() + Digest.BYTES);
        buffer.putLong(clue.count).putLong(clue.deletedJsn);
        for (Digest subtree : index.subtrees(clue.clueId, clue.count)) {
          buffer.put(subtree.toArray());
        }
      }
      write(file, position, buffer);
      file.force();
    }
    ClueImage.publish(disk, name);
  }

  private static int write(DiskFile file, long position, ByteBuffer buffer) throws IOException {
    int bytes = buffer.flip().remaining();
    file.write(position, buffer);
    buffer.clear();
    return bytes;
  }

  /// Ascending by key.
  private static List<Standing> standings(Disk disk, StrandIndex strand, long lastHeight)
      throws IOException, CorruptStreamException {
    Map<Digest, Standing> clues = new HashMap<>();
    try (ClueImage.Reader image = new ClueImage.Reader(disk, strand.strand(), lastHeight)) {
      image.forEach((height, named) -> {
        long firstJsn = strand.block(height).firstJsn();
        for (NamedClues journal : named) {
          for (Digest id : journal.clues().ids()) {
            Standing clue = clues.computeIfAbsent(id, Standing::new);
            clue.count++;
            clue.deletedJsn = journal.clues().delete() ? firstJsn + journal.journal() : 0;
          }
        }
      });
    }
    List<Standing> sorted = new ArrayList<>(clues.values());
    sorted.sort(Comparator.comparing(clue -> clue.key));
    return sorted;
  }

  /// The file of a purge.
  ///
  /// @param height of the last block that it removes
  /// @return closed by the caller; empty if no block before could name clues
  public static Optional<DiskFile> open(Disk disk, StrandId strand, long height)
      throws IOException {
    String name = name(strand, height);
    return disk.exists(name) ? Optional.of(disk.open(name)) : Optional.empty();
  }
}
