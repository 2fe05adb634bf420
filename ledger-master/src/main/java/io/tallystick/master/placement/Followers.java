package io.tallystick.master.placement;

import io.tallystick.crypto.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/// Which server follows a shard. Every server finds that out by itself, from what servers there
/// are: of all but the one that is to write the shard, the one whose digest with the shard is the
/// highest. So a server that comes or goes changes little. It is advice: a shard that two follow,
/// or nobody, is safe.
public final class Followers {
  private Followers() {}

  /// The follower of a shard; empty if no other server is there.
  ///
  /// @param writer that is to write the shard
  /// @param servers that may write shards
  public static Optional<String> of(int shard, String writer, Collection<String> servers) {
    return servers.stream()
        .filter(server -> !server.equals(writer))
        .max(Comparator.comparing(server -> weight(shard, server)));
  }

  private static String weight(int shard, String server) {
    byte[] named =
        String.format(Locale.ROOT, "%d/%s", shard, server).getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(Sha256.hash(named).toArray());
  }
}
