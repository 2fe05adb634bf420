package io.tallystick.cli.terminal;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.nio.file.Path;

/// Options of a command that know where it keeps what it signed and sent without learning what
/// became of it.
public interface PendingKeeper {
  /// @param sent an encoded `PendingRequest`
  /// @return the file, absolute and on the disk
  Path keep(Bytes sent) throws IOException;
}
