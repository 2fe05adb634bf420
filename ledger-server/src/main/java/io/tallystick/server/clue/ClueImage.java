package io.tallystick.server.clue;

import io.tallystick.journal.HeaderClues;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.FileAppender;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.zip.CRC32C;

/// Which clues the journals of blocks name that a purge removes: with it the clues are rebuilt when
/// the headers are gone. One file for each purge, with all blocks from the first on. Source:
/// `docs/formats/clue-index.md`, "Image".
public final class ClueImage {
  static final String DIRECTORY = "images";
  private static final String SUFFIX = ".clues";

  /// The ending of a file that is being made.
  static final String NEW = ".new";

  private static final int MAGIC = 0x54534349; // TSCI
  private static final short FORMAT = 1;
  private static final int HEADER_BYTES = 64;
  private static final int HEADER_CRC_AT = 60;
  private static final int RECORD_FIXED_BYTES = 8 + 4 + 4;
  private static final int RECORD_BYTES_MAX = 64 << 20;

  private ClueImage() {}

  static String name(StrandId strand, long height) {
    return String.format(
        Locale.ROOT,
        "%s/%s-%d-%d%s",
        DIRECTORY,
        strand.ledger().digest().hex(),
        strand.strand(),
        height,
        SUFFIX);
  }

  private static ByteBuffer header(StrandId strand, long height) {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    header.putInt(MAGIC).putShort(FORMAT).putShort((short) 0);
    header.put(strand.ledger().digest().toArray()).putInt(strand.strand()).putLong(height);
    header.putInt(HEADER_CRC_AT, crc(header, 0, HEADER_CRC_AT));
    return header.rewind();
  }

  private static int crc(ByteBuffer bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(offset, length));
    return (int) crc.getValue();
  }

  /// Gives a file that was forced its name, durable on return. One of the same name may belong to a
  /// snapshot that a purge can name: it stays whole until this takes its place.
  ///
  /// @param name that it has with {@link #NEW} behind it, closed
  static void publish(Disk disk, String name) throws IOException {
    disk.rename(name + NEW, name);
    disk.forceDirectory(DIRECTORY);
  }

  /// Writes an image, block by block. Nothing counts before {@link #finish}, to be called once, as
  /// the last.
  public static final class Writer implements AutoCloseable {
    private final Disk disk;
    private final String name;
    private final DiskFile file;
    private final long lastHeight;
    private final FileAppender out;

    /// @param lastHeight the last block that a purge would remove
    public Writer(Disk disk, StrandId strand, long lastHeight) throws IOException {
      this.disk = disk;
      this.lastHeight = lastHeight;
      this.name = name(strand, lastHeight);
      disk.delete(name + NEW);
      this.file = disk.open(name + NEW);
      this.out = new FileAppender(file);
      out.put(header(strand, lastHeight).array());
    }

    /// Adds the next block.
    public void add(BlockInfo block) throws IOException, CorruptStreamException {
      List<NamedClues> named = block.genesis() ? List.of() : NamedClues.in(block);
      if (!named.isEmpty()) {
        add(block.height(), named);
      }
    }

    /// Adds all blocks of the image of the purge before.
    public void addAll(StrandId strand, long height) throws IOException, CorruptStreamException {
      try (Reader before = new Reader(disk, strand, height)) {
        before.forEach(this::add);
      }
    }

    private void add(long height, List<NamedClues> named) throws IOException {
      int bytes = RECORD_FIXED_BYTES;
      for (NamedClues journal : named) {
        bytes += 6 + journal.clues().ids().size() * Digest.BYTES;
      }
      ByteBuffer record = ByteBuffer.allocate(Integer.BYTES + bytes);
      record.putInt(bytes).putLong(height).putInt(named.size());
      for (NamedClues journal : named) {
        HeaderClues clues = journal.clues();
        record.putInt(journal.journal()).put((byte) (clues.delete() ? 1 : 0));
        record.put((byte) clues.ids().size());
        clues.ids().forEach(id -> record.put(id.toArray()));
      }
      record.putInt(crc(record, Integer.BYTES, record.position() - Integer.BYTES));
      out.put(record.array());
    }

    /// Durable on return.
    public void finish() throws IOException {
      add(lastHeight + 1, List.of()); // the end
      out.finish();
      file.close();
      publish(disk, name);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /// Deletes the images of a strand, and the clues beside them, but those of the given heights.
  public static void deleteOthers(Disk disk, StrandId strand, Set<Long> heights)
      throws IOException {
    Set<String> kept = new HashSet<>();
    for (long height : heights) {
      kept.add(name(strand, height));
      kept.add(SnapshotClues.name(strand, height));
    }
    String mine = name(strand, 0).replace("-0" + SUFFIX, "-");
    boolean deleted = false;
    for (String file : disk.list(DIRECTORY)) {
      String name = DIRECTORY + "/" + file;
      boolean clues = name.endsWith(SUFFIX) || name.endsWith(SnapshotClues.SUFFIX);
      if (name.startsWith(mine) && clues && !kept.contains(name)) {
        disk.delete(name);
        deleted = true;
      }
    }
    if (deleted) {
      disk.forceDirectory(DIRECTORY);
    }
  }

  /// Reads an image from its beginning.
  static final class Reader implements AutoCloseable {
    private final String name;
    private final DiskFile file;
    private final long lastHeight;
    private long position = HEADER_BYTES;
    private long height = -1;
    private List<NamedClues> named = List.of();

    /// @throws CorruptStreamException if there is no image of that strand and height
    Reader(Disk disk, StrandId strand, long lastHeight) throws IOException, CorruptStreamException {
      this.name = name(strand, lastHeight);
      this.lastHeight = lastHeight;
      if (!disk.exists(name)) {
        throw new CorruptStreamException(name, 0, "the image is missing");
      }
      this.file = disk.open(name);
      boolean good = false;
      try {
        ByteBuffer header = read(0, HEADER_BYTES);
        if (!header.equals(header(strand, lastHeight))) {
          throw new CorruptStreamException(name, 0, "the header is another");
        }
        good = true;
      } finally {
        if (!good) {
          file.close();
        }
      }
    }

    private ByteBuffer read(long at, int bytes) throws IOException, CorruptStreamException {
      if (at + bytes > file.size()) {
        throw new CorruptStreamException(name, at, "the file ends at " + file.size());
      }
      ByteBuffer read = ByteBuffer.allocate(bytes);
      file.read(at, read);
      return read.rewind();
    }

    /// The journals of a block that name clues; empty if none does.
    ///
    /// @param wanted not below the one of the call before
    List<NamedClues> at(long wanted) throws IOException, CorruptStreamException {
      while (height < wanted) {
        next();
      }
      return height == wanted ? named : List.of();
    }

    interface Visitor {
      void block(long height, List<NamedClues> named) throws IOException, CorruptStreamException;
    }

    /// All blocks that are left.
    void forEach(Visitor visitor) throws IOException, CorruptStreamException {
      for (next(); height <= lastHeight; next()) {
        visitor.block(height, named);
      }
    }

    private void next() throws IOException, CorruptStreamException {
      int bytes = read(position, Integer.BYTES).getInt();
      if (bytes < RECORD_FIXED_BYTES || bytes > RECORD_BYTES_MAX) {
        throw new CorruptStreamException(name, position, "a record of " + bytes + " bytes");
      }
      ByteBuffer record = read(position + Integer.BYTES, bytes);
      if (record.getInt(bytes - Integer.BYTES) != crc(record, 0, bytes - Integer.BYTES)) {
        throw new CorruptStreamException(name, position, "checksum is wrong");
      }
      long next = record.getLong();
      if (next <= height) {
        throw new CorruptStreamException(
            name, position, String.format(Locale.ROOT, "block %d behind block %d", next, height));
      }
      height = next;
      named = journals(record, record.getInt());
      position += Integer.BYTES + (long) bytes;
    }

    private static List<NamedClues> journals(ByteBuffer record, int count) {
      List<NamedClues> journals = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int journal = record.getInt();
        boolean delete = record.get() != 0;
        int ids = Byte.toUnsignedInt(record.get());
        List<Digest> clueIds = new ArrayList<>(ids);
        for (int k = 0; k < ids; k++) {
          byte[] id = new byte[Digest.BYTES];
          record.get(id);
          clueIds.add(Digest.of(id));
        }
        journals.add(new NamedClues(journal, new HeaderClues(clueIds, delete)));
      }
      return journals;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
