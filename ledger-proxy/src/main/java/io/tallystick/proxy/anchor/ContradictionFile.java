package io.tallystick.proxy.anchor;

import io.tallystick.durable.PrivateFile;
import io.tallystick.master.tledger.ContradictedException;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Whether a T-Ledger to which heads were submitted contradicted itself: then the evidence is in
/// `submit/ID.evidence` of the data directory, and nothing more is submitted to it, also after a
/// restart. Thread-safe.
final class ContradictionFile {
  private final Path file;
  private volatile boolean there;

  ContradictionFile(Path dataDirectory, LedgerId tLedger) {
    file = dataDirectory.resolve("submit").resolve(tLedger + ".evidence");
    there = Files.exists(file);
  }

  Path path() {
    return file;
  }

  boolean isThere() {
    return there;
  }

  /// On the disk when this returns; one that is there stays.
  void keep(ContradictedException contradiction) {
    there = true;
    if (Files.exists(file)) {
      return;
    }
    try {
      Path folder = file.resolveSibling("");
      PrivateFile.createDirectory(folder);
      PrivateFile.replace(file, contradiction.evidence().encode().toArray());
      PrivateFile.force(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
