package io.tallystick.node;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Where a node keeps what it keeps.
///
/// @param data made if there is none
/// @param keys the service's keys, given by somebody else and never made; null: `data` holds them,
///   and a first start makes them
public record NodeFolders(Path data, @Nullable Path keys) {
  /// All in one folder.
  public static NodeFolders of(Path data) {
    return new NodeFolders(data, null);
  }
}
