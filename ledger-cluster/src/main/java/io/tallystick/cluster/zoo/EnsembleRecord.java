package io.tallystick.cluster.zoo;

import io.tallystick.durable.DurableFile;
import io.tallystick.model.Bytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Under which list of hosts a server of ZooKeeper has written its data; kept beside that data.
/// With another list others are a majority: they could decide without what was decided before, or
/// apart from servers that still have the old list.
final class EnsembleRecord {
  private static final String FILE = "ensemble";
  private static final String ALONE = "alone";

  private EnsembleRecord() {}

  /// @param hosts of all servers; none: it is alone
  /// @param mayChange whether the list takes the place of another one
  /// @throws IOException also if another list stands there, and may not change
  static void keep(Path dataDir, List<String> hosts, boolean mayChange) throws IOException {
    Files.createDirectories(dataDir);
    DurableFile file = DurableFile.in(dataDir, FILE);
    String now = hosts.isEmpty() ? ALONE : String.join(",", hosts);
    Optional<String> kept =
        file.read().map(each -> new String(each.toArray(), StandardCharsets.UTF_8).strip());
    if (kept.isPresent() && kept.get().equals(now)) {
      return;
    }
    if (kept.isPresent() && !mayChange) {
      throw new IOException(
          dataDir
              + " was written with the ensemble "
              + kept.get()
              + ", this one is "
              + now
              + ": what was decided could be lost, or decided twice. Give it that list; or, once no"
              + " server of either list runs, --ensemble-changed");
    }
    file.replace(Bytes.utf8(now + "\n"));
  }
}
