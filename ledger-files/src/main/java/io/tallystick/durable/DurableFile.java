package io.tallystick.durable;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// A small file that is replaced as a whole: after a crash at any moment it holds the old content
/// or the new one, and the new one once {@link #replace} has returned.
public final class DurableFile {
  private final FileSteps steps;
  private final Path file;
  private final Path directory;
  private final Path temporary;

  public DurableFile(FileSteps steps, Path directory, String name) {
    this.steps = steps;
    this.directory = directory;
    this.file = directory.resolve(name);
    this.temporary = directory.resolve(name + ".tmp");
  }

  /// @param directory is there before the first {@link #replace}
  public static DurableFile in(Path directory, String name) {
    return new DurableFile(new LocalFileSteps(), directory, name);
  }

  public Path path() {
    return file;
  }

  public Optional<Bytes> read() throws IOException {
    return steps.read(file).map(Bytes::wrap);
  }

  /// Writes a file beside it, forces that, renames it over the old one, forces the directory.
  /// Without the first force the new name could come to stand for a torn file, without the second
  /// the old one could come back.
  public void replace(Bytes content) throws IOException {
    steps.write(temporary, content.unsafeArray());
    steps.force(temporary);
    steps.rename(temporary, file);
    steps.forceDirectory(directory);
  }
}
