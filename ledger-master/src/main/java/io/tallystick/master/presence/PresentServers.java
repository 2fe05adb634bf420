package io.tallystick.master.presence;

import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Reads which servers are there. Thread-safe.
public final class PresentServers {
  private final Coordination coordination;
  private final ClusterPaths paths;

  public PresentServers(Coordination coordination, ClusterPaths paths) {
    this.coordination = coordination;
    this.paths = paths;
  }

  /// All that are there, by id; perhaps some no longer, and some not yet.
  public SortedMap<String, PresentServer> read() throws IOException, CorruptStreamException {
    SortedMap<String, PresentServer> servers = new TreeMap<>();
    for (String id : coordination.children(paths.servers())) {
      Optional<PresentServer> server = read(id);
      if (server.isPresent()) {
        servers.put(id, server.get());
      }
    }
    return servers;
  }

  /// One server; empty if it is not there.
  public Optional<PresentServer> read(String id) throws IOException, CorruptStreamException {
    String path = paths.server(id);
    Optional<Versioned> there = coordination.read(path);
    return there.isEmpty()
        ? Optional.empty()
        : Optional.of(PresentServer.decode(path, there.get()));
  }
}
