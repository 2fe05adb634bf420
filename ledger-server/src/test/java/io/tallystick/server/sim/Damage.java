package io.tallystick.server.sim;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// One thing that went wrong with what is stored: a bit flipped, a sector lost, a write that went
/// to the wrong place, a file cut off, a row that cannot be read.
final class Damage {
  private static final int SECTOR_BYTES = 512;
  private static final int SEGMENT_HEADER_BYTES = 64;
  private static final int TAIL_BYTES = 600;

  /// A range of a file whose bytes are not what they were.
  record Range(String file, long from, long to) {
    boolean meets(Range other) {
      return file.equals(other.file) && from < other.to && other.from < to;
    }
  }

  /// A frame and where it lies.
  record Frame(long number, Range range) {}

  final InMemoryDisk disk;
  final MetaStore meta;
  final String what;
  private final Range range;

  private Damage(InMemoryDisk disk, MetaStore meta, String what, Range range) {
    this.disk = disk;
    this.meta = meta;
    this.what = what;
    this.range = range;
  }

  /// Damages one of the two, which are the caller's own copies.
  static Damage inflict(InMemoryDisk disk, InMemoryMetaStore meta, SplittableRandom random)
      throws IOException {
    List<String> files = new ArrayList<>();
    for (String name : disk.names()) {
      if (disk.size(name) > 0) {
        files.add(name);
      }
    }
    if (files.isEmpty() || random.nextInt(6) == 0) {
      return unreadableRow(disk, meta, random);
    }
    boolean tail = random.nextInt(4) == 0;
    String file = tail ? newestSegment(files) : files.get(random.nextInt(files.size()));
    byte[] content = disk.content(file);
    long end = writtenEnd(content, random);
    long at = tail ? end - 1 - random.nextLong(Math.min(end, TAIL_BYTES)) : random.nextLong(end);
    return switch (random.nextInt(5)) {
      case 0, 1 -> {
        disk.flipBit(file, at, random.nextInt(8));
        yield new Damage(disk, meta, "bit flip", new Range(file, at, at + 1));
      }
      case 2 -> {
        long from = at - at % SECTOR_BYTES;
        int count = (int) Math.min(SECTOR_BYTES, content.length - from);
        disk.overwrite(file, from, new byte[count]);
        yield new Damage(disk, meta, "lost sector", new Range(file, from, from + count));
      }
      case 3 -> misdirect(disk, meta, files, file, at, random);
      default -> {
        try (DiskFile open = disk.open(file)) {
          open.truncate(at);
        }
        yield new Damage(disk, meta, "cut off", new Range(file, at, content.length));
      }
    };
  }

  /// Where the frames are that a crash could have torn; names sort by number.
  private static String newestSegment(List<String> files) {
    return files.stream()
        .filter(Damage::isSegment)
        .reduce((_, later) -> later)
        .orElse(files.getFirst());
  }

  private static boolean isSegment(String file) {
    return file.endsWith(".seg") && !file.endsWith("spare.seg");
  }

  /// Mostly the end of what is written: zeros laid ahead are not worth much damage.
  private static long writtenEnd(byte[] content, SplittableRandom random) {
    int end = content.length;
    while (random.nextInt(8) != 0 && end > 1 && content[end - 1] == 0) {
      end--;
    }
    return end;
  }

  /// A write that belonged elsewhere: to another place of this file, or to this place of another.
  private static Damage misdirect(
      InMemoryDisk disk,
      MetaStore meta,
      List<String> files,
      String file,
      long near,
      SplittableRandom random)
      throws IOException {
    boolean otherFile = random.nextBoolean();
    byte[] source = disk.content(otherFile ? files.get(random.nextInt(files.size())) : file);
    int unit = random.nextBoolean() ? SECTOR_BYTES : SEGMENT_HEADER_BYTES;
    long to = near - near % unit;
    long from = otherFile ? to : random.nextLong(source.length) / unit * unit;
    int count = unit * (1 + random.nextInt(8));
    if (otherFile && random.nextInt(3) == 0) {
      from = 0;
      to = 0;
      count = source.length; // a whole file in another's place
    }
    long length = disk.size(file);
    from = Math.min(from, source.length);
    int end = (int) Math.min(Math.min(from + count, source.length), from + length - to);
    disk.overwrite(file, to, Arrays.copyOfRange(source, (int) from, end));
    return new Damage(disk, meta, "misdirected write", new Range(file, to, to + end - from));
  }

  /// RocksDB has checksums of its own: a damaged row is an error there, never another value.
  private static Damage unreadableRow(
      InMemoryDisk disk, InMemoryMetaStore meta, SplittableRandom random) throws IOException {
    List<Bytes> keys = new ArrayList<>();
    meta.scan(Bytes.EMPTY, null, (key, _) -> keys.add(key));
    Bytes bad = keys.get(random.nextInt(keys.size()));
    return new Damage(disk, new UnreadableRow(meta, bad), "unreadable row", new Range("", 0, 0));
  }

  /// A meta store of which one row cannot be read.
  private record UnreadableRow(MetaStore rows, Bytes bad) implements MetaStore {
    private void check(Bytes key) throws IOException {
      if (key.equals(bad)) {
        throw new IOException("checksum of a block is wrong");
      }
    }

    @Override
    public @Nullable Bytes get(Bytes key) throws IOException {
      check(key);
      return rows.get(key);
    }

    @Override
    public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
      rows.scan(
          prefix,
          after,
          (key, value) -> {
            check(key);
            return visitor.row(key, value);
          });
    }

    @Override
    public void write(MetaBatch batch) throws IOException {
      rows.write(batch);
    }

    @Override
    public void close() {}
  }

  /// Whether a frame was hit: the newest ones that were may be taken for a torn tail.
  boolean hits(Frame frame) {
    return range.meets(frame.range());
  }

  /// All frames of a sound stream, by number.
  static List<Frame> frames(InMemoryDisk disk) throws IOException {
    List<Frame> frames = new ArrayList<>();
    for (String file : disk.names()) {
      if (isSegment(file)) {
        addFrames(file, disk.content(file), frames);
      }
    }
    return frames;
  }

  private static void addFrames(String file, byte[] content, List<Frame> frames) {
    int at = SEGMENT_HEADER_BYTES;
    while (at + FrameHeader.BYTES <= content.length) {
      try {
        FrameHeader header =
            FrameHeader.decode(ByteBuffer.wrap(content).slice(at, FrameHeader.BYTES));
        frames.add(
            new Frame(header.number(), new Range(file, at, (long) at + header.alignedBytes())));
        at += header.alignedBytes();
      } catch (MalformedException _) {
        return;
      }
    }
  }

  @Override
  public String toString() {
    return what + " " + range;
  }
}
