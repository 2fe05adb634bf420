package io.tallystick.durable;

import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The real file system. Files are written by streams and not by channels: a channel closes itself
/// under an interrupted thread, and an application may interrupt its threads.
public final class LocalFileSteps implements FileSteps {
  private static final int INTERRUPTS_MAX = 3;

  @Override
  public void write(Path file, byte[] content) throws IOException {
    try (FileOutputStream out = new FileOutputStream(file.toFile())) {
      out.write(content);
    }
  }

  @Override
  public void force(Path file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.getFD().sync();
    }
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  // A directory can be forced through a channel only.
  @Override
  public void forceDirectory(Path directory) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      for (int attempt = 1; ; attempt++) {
        try (FileChannel channel = FileChannel.open(directory)) {
          channel.force(true);
          return;
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
          if (attempt == INTERRUPTS_MAX) {
            throw e;
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public Optional<byte[]> read(Path file) throws IOException {
    try {
      PlainFile.check(file);
      // Not Files.readAllBytes: it reads through a channel.
      try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
        byte[] content = new byte[Math.toIntExact(open.length())];
        open.readFully(content);
        return Optional.of(content);
      }
    } catch (NoSuchFileException ignored) {
      return Optional.empty();
    } catch (FileNotFoundException e) {
      if (Files.notExists(file)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public OpenFile open(Path file) throws IOException {
    return new LocalOpenFile(file);
  }

  private static final class LocalOpenFile implements OpenFile {
    private final RandomAccessFile file;
    private final @Nullable Object key;

    LocalOpenFile(Path path) throws IOException {
      // rwd: a write returns when its data is on the disk, in one system call; and the runtime
      // lends
      // a virtual thread's carrier a substitute for that time.
      file = new RandomAccessFile(path.toFile(), "rwd");
      key = keyOf(path);
    }

    private static @Nullable Object keyOf(Path path) throws IOException {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    @Override
    public byte[] read() throws IOException {
      byte[] content = new byte[Math.toIntExact(file.length())];
      file.seek(0);
      file.readFully(content);
      return content;
    }

    @Override
    public void write(int position, byte[] part) throws IOException {
      file.seek(position);
      file.write(part);
    }

    @Override
    public boolean isStill(Path path) throws IOException {
      try {
        return Objects.equals(key, keyOf(path));
      } catch (NoSuchFileException ignored) {
        return false;
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
