package io.tallystick.audit.source;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.durable.PlainFile;
import io.tallystick.model.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/// The public files of a log in a folder, as `tally export` writes it.
public record FolderTiles(Path folder) implements TileFiles {
  @Override
  public Optional<Bytes> read(String path, int bytesMax) throws IOException, LogFormatException {
    try (InputStream in = PlainFile.open(folder.resolve(path))) {
      byte[] content = in.readNBytes(bytesMax);
      if (in.read() >= 0) {
        throw tooLong(path, bytesMax);
      }
      return Optional.of(Bytes.wrap(content));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  @Override
  public IOException noLog(String why) {
    return new NoLogException(folder + " is no log: " + why);
  }

  static LogFormatException tooLong(String path, int bytesMax) {
    return LogFormatException.malformed(path + " is longer than " + bytesMax + " bytes");
  }
}
