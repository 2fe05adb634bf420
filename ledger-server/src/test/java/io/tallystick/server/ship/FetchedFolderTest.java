package io.tallystick.server.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a folder holds either its own savepoint or a fetched one, wherever a change of it was cut
/// short. Method: the change is made to fail before each of its steps, and is settled then.
class FetchedFolderTest {
  private static final StreamId SHARD = new StreamId(0);
  private static final SavepointManifest.Software SOFTWARE =
      new SavepointManifest.Software("test", 1);
  private static final Map<String, String> OLD =
      Map.of(
          "format", "stays",
          "keep/a", "stays",
          "meta/CURRENT", "old",
          "meta/old.sst", "old",
          "images/gone.state", "old",
          "index/a/0.level", "old");
  private static final Map<String, String> SHIPPED =
      Map.of("meta/CURRENT", "new", "index/a/0.level", "newer", "forest/0.slots", "more");
  private static final Map<String, String> NEW =
      Map.of(
          "format", "stays",
          "keep/a", "stays",
          "meta/CURRENT", "new",
          "index/a/0.level", "newer",
          "forest/0.slots", "more");

  @TempDir Path home;
  private final InMemoryDisk volume = new InMemoryDisk();
  private final DirectorySavepoints store = new DirectorySavepoints(volume, "", new Random(1));
  private final FilePointer pointer = new FilePointer(volume);
  private final SavepointFetcher fetcher =
      new SavepointFetcher(SHARD, store, pointer, SOFTWARE, () -> Instant.ofEpochMilli(7), 0);

  private void ship() throws Exception {
    SavepointStore.Upload upload = store.begin(1);
    List<ShippedFile> files =
        SHIPPED.entrySet().stream()
            .map(each -> new ShippedFile(each.getKey(), List.of(put(upload, each.getValue()))))
            .toList();
    StreamPosition position = new StreamPosition(9, 9);
    SavepointManifest manifest =
        new SavepointManifest(SHARD, position, 1, 7, SOFTWARE, Map.of(upload.part(), 100L), files);
    byte[] encoded = manifest.encode().toArray();
    ShippedPiece piece =
        upload.put(ShippedPiece.nameOf(ByteBuffer.wrap(encoded)), ByteBuffer.wrap(encoded));
    upload.finish();
    pointer.publish(pointer.epoch(), List.of(new PublishedSavepoint(position, 1, 7, piece)));
  }

  private static ShippedPiece put(SavepointStore.Upload upload, String content) {
    ByteBuffer bytes = ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8));
    try {
      return upload.put(ShippedPiece.nameOf(bytes), bytes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Path folder(String name) throws IOException {
    Path folder = home.resolve(name);
    for (Map.Entry<String, String> each : OLD.entrySet()) {
      Path file = folder.resolve(each.getKey());
      Files.createDirectories(file.getParent());
      Files.writeString(file, each.getValue());
    }
    return folder;
  }

  private static Map<String, String> content(Path folder) throws IOException {
    Map<String, String> content = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.filter(Files::isRegularFile).toList()) {
        content.put(folder.relativize(each).toString(), Files.readString(each));
      }
    }
    return content;
  }

  @Test
  void aChangeThatWasCutShortIsFinished() throws Exception {
    ship();
    for (int steps = 0; ; steps++) {
      Path folder = folder("after-" + steps);
      int[] left = {steps};
      FetchedFolder failing =
          new FetchedFolder(
              folder,
              what -> {
                if (left[0]-- == 0) {
                  throw new IOException("before " + what);
                }
              });
      failing.fetch(fetcher);
      try {
        assertThat(failing.settle()).isTrue();
        assertThat(content(folder)).isEqualTo(NEW);
        assertThat(steps).as("steps that it may be cut short before").isGreaterThan(9);
        return;
      } catch (IOException _) {
        FetchedFolder later = new FetchedFolder(folder);
        assertThat(later.settle()).isTrue();
        assertThat(content(folder)).as("cut short before step %d", steps).isEqualTo(NEW);
        assertThat(later.settle()).isFalse();
      }
    }
  }

  @Test
  void whatWasNotFetchedWholeIsDiscarded() throws Exception {
    ship();
    Path folder = folder("half");
    FetchedFolder fetched = new FetchedFolder(folder);
    volume.list("").stream()
        .filter(part -> part.contains("-"))
        .forEach(part -> volume.delete(part + "/" + nameOf("newer")));
    assertThatThrownBy(() -> fetched.fetch(fetcher)).isInstanceOf(SavepointRefusedException.class);
    assertThat(folder.resolve("fetched.fetch")).as("others need its room").doesNotExist();
    Files.createDirectories(folder.resolve("fetched.fetch/meta")); // of a crash
    assertThat(fetched.settle()).isFalse();
    assertThat(content(folder)).isEqualTo(OLD);
  }

  @Test
  void whatHasNoRoomIsNotBegun() throws Exception {
    ship();
    Path folder = folder("full");
    FetchedFolder fetched = new FetchedFolder(folder);
    SavepointFetcher careful =
        new SavepointFetcher(
            SHARD, store, pointer, SOFTWARE, () -> Instant.ofEpochMilli(7), Long.MAX_VALUE / 2);
    assertThatThrownBy(() -> fetched.fetch(careful)).isInstanceOf(DiskFullException.class);
    assertThat(content(folder)).isEqualTo(OLD);
    assertThat(folder.resolve("fetched.fetch")).doesNotExist();
  }

  private static String nameOf(String content) {
    return ShippedPiece.nameOf(ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8))).hex();
  }
}
