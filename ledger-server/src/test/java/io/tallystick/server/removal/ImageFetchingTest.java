package io.tallystick.server.removal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Bytes;
import io.tallystick.server.ship.DirectorySavepoints;
import io.tallystick.server.ship.SharedObjects;
import io.tallystick.server.state.LocalImages;
import io.tallystick.server.state.StateImages;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.contract.ObjectStoreContract;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Goal: whoever stops following a shard waits for no image. Method: two small images, and a fetch
/// that is ended while it copies the first.
class ImageFetchingTest {
  private final InMemoryDisk disk = new InMemoryDisk();
  private final ObjectStore objects =
      new SharedObjects(
          new DirectorySavepoints(new InMemoryDisk(), "objects", new Random(1)), () -> 1);

  private ImageFetching.Wanted image(long height) throws Exception {
    return new ImageFetching.Wanted(
        Fixtures.ledger().strand(),
        height,
        new ImageRows.Image(
            StateImages.VALUES, ObjectStoreContract.put(objects, Bytes.utf8("image " + height))));
  }

  @Test
  void aFetchEndsBetweenTwoPiecesAndTheNextOneBringsTheRestAtOnce() throws Exception {
    ImageFetching fetching = new ImageFetching(objects, disk, new LocalImages(), _ -> true);
    fetching.want(List.of(image(1), image(2)));
    AtomicInteger asked = new AtomicInteger();
    fetching.fetch(() -> asked.incrementAndGet() > 1);
    assertThat(asked.get()).isEqualTo(2);
    assertThat(disk.list(StateImages.DIRECTORY)).isEmpty();
    fetching.fetch();
    assertThat(disk.list(StateImages.DIRECTORY)).hasSize(2);
  }
}
