package io.tallystick.cli.option;

import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.client.PendingRequest;
import io.tallystick.crypto.Sha256;
import io.tallystick.durable.PlainFile;
import io.tallystick.durable.PrivateFile;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

/// A file that holds a {@link PendingRequest}, for its owner alone.
public record PendingFile(Path path) {
  static final String FOLDER = "pending";
  private static final Pattern NAME = Pattern.compile("[0-9a-f]{64}\\.pending");

  /// Writes it below the trust directory, under the SHA-256 of its bytes.
  static PendingFile keep(Path trust, Bytes sent) throws IOException {
    Path parent = trust.toAbsolutePath().normalize();
    Path folder = parent.resolve(FOLDER);
    Path file = folder.resolve(Sha256.hash(sent.toArray()).hex() + ".pending");
    try {
      PrivateFile.createDirectory(folder);
      PrivateFile.replace(file, sent.toArray());
      PrivateFile.force(folder);
      PrivateFile.force(parent); // which may have had no such folder
    } catch (IOException e) {
      throw LocalPaths.notWritten(file, e);
    }
    return new PendingFile(file);
  }

  public PendingRequest read() throws IOException {
    byte[] bytes;
    try (InputStream in = PlainFile.open(path)) {
      bytes = in.readNBytes(PendingRequest.BYTES_MAX + 1);
    }
    if (bytes.length > PendingRequest.BYTES_MAX) {
      throw new FileSystemException(
          path.toString(),
          null,
          String.format(
              Locale.ROOT,
              "is longer than a pending request may be, %d bytes",
              PendingRequest.BYTES_MAX));
    }
    Bytes sent = Bytes.wrap(bytes);
    try {
      checkName(sent);
      return PendingRequest.decode(sent);
    } catch (MalformedException e) {
      throw LocalPaths.wrongForm(path, "pending request", e);
    }
  }

  /// One that is called as it was kept is what was kept.
  private void checkName(Bytes sent) throws MalformedException {
    String name = path.getFileName().toString();
    String hash = Sha256.hash(sent.toArray()).hex();
    if (NAME.matcher(name).matches() && !name.startsWith(hash)) {
      throw new MalformedException("its bytes have the SHA-256 " + hash + ", so they are damaged");
    }
  }

  public void delete() throws IOException {
    Files.deleteIfExists(path);
  }
}
