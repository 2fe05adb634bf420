package io.tallystick.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The folder through which a test and its {@link FaultyService} talk.
///
/// @param folder there, on a disk that no test fills up
record Controls(Path folder) {
  static final String METERS = "meters";
  private static final String FAIL_FORCE = "fail-force";
  private static final String CLOCK_OFFSET = "clock-offset-ms";
  private static final String NO_SPACE = "no-space";

  /// The next force of a commit's segment fails.
  void failNextForce() throws IOException {
    Files.writeString(folder.resolve(FAIL_FORCE), "");
  }

  /// Whether that has happened.
  boolean forceHasFailed() {
    return Files.notExists(folder.resolve(FAIL_FORCE));
  }

  /// For the service: whether this force is the one to fail.
  boolean takeForceFailure() throws IOException {
    return Files.deleteIfExists(folder.resolve(FAIL_FORCE));
  }

  /// From now on the disk has room, or none.
  void setSpace(boolean room) throws IOException {
    if (room) {
      Files.deleteIfExists(folder.resolve(NO_SPACE));
    } else {
      Files.writeString(folder.resolve(NO_SPACE), "");
    }
  }

  boolean hasSpace() {
    return Files.notExists(folder.resolve(NO_SPACE));
  }

  void setClockOffsetMs(long offset) throws IOException {
    Path fresh = folder.resolve(CLOCK_OFFSET + ".new");
    Files.writeString(fresh, String.valueOf(offset));
    Files.move(fresh, folder.resolve(CLOCK_OFFSET), StandardCopyOption.ATOMIC_MOVE);
  }

  long clockOffsetMs() {
    try {
      return Long.parseLong(Files.readString(folder.resolve(CLOCK_OFFSET)));
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The value of a meter the service last wrote down; 0 if there is none yet.
  double meter(String nameAndTags) throws IOException {
    Path file = folder.resolve(METERS);
    if (Files.notExists(file)) {
      return 0;
    }
    Matcher line =
        Pattern.compile(
                "^" + Pattern.quote(nameAndTags) + " (?:COUNT|VALUE)=(.+)$", Pattern.MULTILINE)
            .matcher(Files.readString(file));
    return line.find() ? Double.parseDouble(line.group(1)) : 0;
  }
}
