package io.tallystick.storage.object;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// Objects as files of a data directory: `objects/AA/SHA256`, AA being the first two of the 64 hex
/// digits. One that is being written is `objects/N.new`. Source: `docs/formats/savepoint.md`,
/// "Objects".
public final class LocalObjects implements ObjectStore {
  public static final String FOLDER = "objects";
  private static final String UNFINISHED = ".new";
  private static final int FOLDER_DIGITS = 2;
  private static final int PIECE_BYTES = 1 << 20;

  private final Disk disk;
  private final AtomicLong begun = new AtomicLong();

  /// Held while a file is opened, or deleted: opening one that is gone would make it.
  private final Object names = new Object();

  private LocalObjects(Disk disk) {
    this.disk = disk;
  }

  /// Deletes what was not finished. Nobody else has these objects open.
  public static LocalObjects open(Disk disk) throws IOException {
    for (String entry : disk.list(FOLDER)) {
      if (entry.endsWith(UNFINISHED)) {
        disk.delete(FOLDER + "/" + entry);
      }
    }
    return new LocalObjects(disk);
  }

  private static String folder(Digest name) {
    return FOLDER + "/" + name.hex().substring(0, FOLDER_DIGITS);
  }

  /// The file of an object.
  public static String file(Digest name) {
    return folder(name) + "/" + name.hex();
  }

  /// Whether that is the file of an object.
  public static boolean isFile(String file) {
    String name = file.substring(file.lastIndexOf('/') + 1);
    return isName(name) && file.equals(file(Digest.fromHex(name)));
  }

  @Override
  public ObjectWriter create() throws IOException {
    return new Writer(FOLDER + "/" + begun.incrementAndGet() + UNFINISHED);
  }

  @Override
  public Optional<StoredObject> open(KeptObject object) throws IOException {
    synchronized (names) {
      return disk.openIfThere(file(object.name())).map(file -> new Stored(object, file));
    }
  }

  @Override
  public void delete(KeptObject object) throws IOException {
    delete(object.name());
  }

  private void delete(Digest name) throws IOException {
    synchronized (names) {
      disk.delete(file(name));
    }
    disk.forceDirectory(folder(name));
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public Bytes idOf(KeptObject object) {
    return object.name().toBytes();
  }

  @Override
  public void delete(Held held) throws IOException {
    delete(Digest.of(held.id()));
  }

  @Override
  public List<Held> list() throws IOException {
    List<Held> all = new ArrayList<>();
    for (String folder : disk.list(FOLDER)) {
      if (folder.length() == FOLDER_DIGITS) {
        for (String entry : disk.list(FOLDER + "/" + folder)) {
          if (isFile(FOLDER + "/" + folder + "/" + entry)) {
            all.add(new Held(Digest.fromHex(entry).toBytes(), 0));
          }
        }
      }
    }
    return all;
  }

  private static boolean isName(String entry) {
    return entry.matches("[0-9a-f]{64}");
  }

  private final class Writer implements ObjectWriter {
    private final String unfinished;
    private final DiskFile file;
    private final MessageDigest sha256 = Sha256.newDigest();
    private long written;
    private boolean finished;

    Writer(String unfinished) throws IOException {
      this.unfinished = unfinished;
      this.file = disk.open(unfinished);
    }

    @Override
    public void write(ByteBuffer bytes) throws IOException {
      sha256.update(bytes.duplicate());
      int count = bytes.remaining();
      file.write(written, bytes);
      written += count;
    }

    @Override
    public KeptObject finish() throws IOException {
      file.force();
      file.close();
      Digest name = Digest.of(sha256.digest());
      disk.rename(unfinished, file(name));
      finished = true;
      disk.forceDirectory(folder(name));
      return new KeptObject(name, written, Bytes.EMPTY);
    }

    @Override
    public void close() throws IOException {
      file.close();
      if (!finished) {
        disk.delete(unfinished);
      }
    }
  }

  /// A later deletion changes nothing of it.
  private static final class Stored extends StoredObject {
    private final DiskFile file;

    Stored(KeptObject object, DiskFile file) {
      super(object);
      this.file = file;
    }

    @Override
    protected String where() {
      return file.name();
    }

    @Override
    protected long size() throws IOException {
      return file.size();
    }

    @Override
    protected void read(Sink sink) throws IOException {
      ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, Math.max(1, size())));
      long at = 0;
      for (int count = file.read(0, piece); count > 0; count = file.read(at, piece)) {
        at += count;
        sink.write(piece.flip());
        piece.clear();
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
