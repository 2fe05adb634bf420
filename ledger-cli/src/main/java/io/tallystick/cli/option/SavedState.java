package io.tallystick.cli.option;

import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.durable.PlainFile;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.state.LookupFile;
import io.tallystick.state.RangeFile;
import io.tallystick.state.StateFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Locale;

/// A file that `state get --save` or `state range --save` wrote.
public sealed interface SavedState {
  /// The longest file of any kind.
  int BYTES_MAX = Math.max(RangeFile.BYTES_MAX, LookupFile.BYTES_MAX);

  /// A file about one key.
  record Reading(StateFile file) implements SavedState {}

  /// A file about several keys.
  record Several(LookupFile file) implements SavedState {}

  /// A file about all keys of a range.
  record Range(RangeFile file) implements SavedState {}

  /// @throws IOException also if it is none of them
  static SavedState read(Path file) throws IOException {
    Bytes encoded = bytes(file);
    try {
      if (LookupFile.isOne(encoded)) {
        return new Several(LookupFile.decode(encoded));
      }
      return RangeFile.isOne(encoded)
          ? new Range(RangeFile.decode(encoded))
          : new Reading(StateFile.decode(encoded));
    } catch (MalformedException e) {
      throw LocalPaths.wrongForm(file, "saved reading or range of a state", e);
    }
  }

  private static Bytes bytes(Path file) throws IOException {
    LocalPaths.checkNoFolder(file);
    try (InputStream in = PlainFile.open(file)) {
      byte[] encoded = in.readNBytes(BYTES_MAX + 1);
      if (encoded.length > BYTES_MAX) {
        throw new IOException(
            String.format(
                Locale.ROOT, "%s is longer than a saved state can be, %d bytes", file, BYTES_MAX));
      }
      return Bytes.wrap(encoded);
    }
  }
}
