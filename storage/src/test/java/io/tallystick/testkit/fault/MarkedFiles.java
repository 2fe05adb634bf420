package io.tallystick.testkit.fault;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// Named markers, and in which files of a directory they are.
public final class MarkedFiles {
  private static final int BYTES = 32;

  private final Map<String, Bytes> markers = new HashMap<>();

  /// Names by a marker's first eight bytes.
  private final Map<Long, List<String>> begins = new HashMap<>();

  private final BitSet firstTwo = new BitSet(1 << Short.SIZE);

  public MarkedFiles() {}

  /// @return 32 random bytes, to be found by the name from now on
  public Bytes random(String name, SplittableRandom random) {
    byte[] marker = new byte[BYTES];
    random.nextBytes(marker);
    add(name, Bytes.wrap(marker));
    return Bytes.wrap(marker);
  }

  public void add(String name, Bytes marker) {
    markers.put(name, marker);
    ByteBuffer bytes = ByteBuffer.wrap(marker.toArray());
    begins.computeIfAbsent(bytes.getLong(0), _ -> new ArrayList<>()).add(name);
    firstTwo.set(Short.toUnsignedInt(bytes.getShort(0)));
  }

  public Set<String> names() {
    return markers.keySet();
  }

  /// The markers that are in any file below, each with one such file. A file that goes meanwhile
  /// has none.
  public Map<String, String> in(Path directory) throws IOException {
    Map<String, String> found = new TreeMap<>();
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile()) {
              try {
                search(
                    ByteBuffer.wrap(Files.readAllBytes(file)), directory.relativize(file), found);
              } catch (NoSuchFileException gone) {
                return visitFileFailed(file, gone);
              }
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }
        });
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
