package io.tallystick.client.trust;

import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/// The real file system. Files are written by streams and not by channels: a channel closes itself
/// under an interrupted thread, and an application may interrupt its threads.
final class LocalFileSteps implements FileSteps {
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
      // Not Files.readAllBytes: it reads through a channel.
      try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
        byte[] content = new byte[Math.toIntExact(open.length())];
        open.readFully(content);
        return Optional.of(content);
      }
    } catch (FileNotFoundException e) {
      if (Files.notExists(file)) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
