package io.tallystick.server.host;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Named markers, and in which files of a directory they are.
final class MarkedFiles {
  private static final int BYTES = 32;

  private final Map<String, Bytes> markers = new HashMap<>();

  /// Names by a marker's first eight bytes.
  private final Map<Long, List<String>> begins = new HashMap<>();

  private final BitSet firstTwo = new BitSet(1 << Short.SIZE);

  /// @return 32 random bytes, to be found by the name from now on
  Bytes random(String name, SplittableRandom random) {
    byte[] marker = new byte[BYTES];
    random.nextBytes(marker);
    add(name, Bytes.wrap(marker));
    return Bytes.wrap(marker);
  }

  void add(String name, Bytes marker) {
    markers.put(name, marker);
    ByteBuffer bytes = ByteBuffer.wrap(marker.toArray());
    begins.computeIfAbsent(bytes.getLong(0), _ -> new ArrayList<>()).add(name);
    firstTwo.set(Short.toUnsignedInt(bytes.getShort(0)));
  }

  Set<String> names() {
    return markers.keySet();
  }

  /// The markers that are in any file below, each with one such file.
  Map<String, String> in(Path directory) throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        search(ByteBuffer.wrap(Files.readAllBytes(each)), directory.relativize(each), found);
      }
    }
    return found;
  }

  private void search(ByteBuffer content, Path file, Map<String, String> found) {
    for (int at = 0; at <= content.limit() - Long.BYTES; at++) {
      if (!firstTwo.get(Short.toUnsignedInt(content.getShort(at)))) {
        continue;
      }
      for (String name : begins.getOrDefault(content.getLong(at), List.of())) {
        ByteBuffer marker = ByteBuffer.wrap(markers.getOrDefault(name, Bytes.EMPTY).toArray());
        int bytes = Math.min(marker.limit(), content.limit() - at);
        if (content.slice(at, bytes).equals(marker)) {
          found.put(name, file.toString());
        }
      }
    }
  }
}
