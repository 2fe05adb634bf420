package io.tallystick.bench.state;

import java.nio.file.Path;
import java.util.List;

/// Ours and its rivals, by name. All have caches of the same size.
final class Contenders {
  static final String OURS = "ours";
  static final String TREE = "tree";
  static final String ROCKS = "rocksdb";
  static final List<String> ALL = List.of(OURS, TREE, ROCKS);

  private Contenders() {}

  /// @param folder an empty one
  static StateContender open(String name, Path folder, ForestSettings settings) throws Exception {
    return switch (name) {
      case OURS -> new ForestContender(folder, settings);
      case TREE -> new TreeContender(folder, settings.cacheBytes());
      case ROCKS -> new RocksContender(folder, settings.cacheBytes());
      default -> throw new IllegalArgumentException("no contender " + name);
    };
  }

  /// Of a contender: ours has none.
  static String figure(String figure, String contender) {
    return contender.equals(OURS) ? figure : figure + "-" + contender;
  }
}
