package io.tallystick.audit.source;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.model.Bytes;
import java.io.IOException;
import java.util.Optional;

/// The files of a log's public read path, wherever they are kept. Thread-safe. Nothing that comes
/// from there is believed. Source: C2SP tlog-tiles; docs/formats/tiles.md.
@FunctionalInterface
public interface TileFiles {
  /// @param path as {@link io.tallystick.tile.TilePath} names it
  /// @return empty if there is no such file
  /// @throws IOException if that could not be found out
  /// @throws LogFormatException if the file is longer than `bytesMax`
  Optional<Bytes> read(String path, int bytesMax) throws IOException, LogFormatException;

  /// That there is no log, in the words of where these files are.
  ///
  /// @param why after "is no log: "
  default IOException noLog(String why) {
    return new NoLogException("this is no log: " + why);
  }
}
