package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.StateReads;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Goal: no removal is done while an object holds what it names, whatever comes between, and no
/// object keeps a shard from serving. Method: {@link ObjectServers} whose objects fail or wait.
class ObjectFaultsTest extends ObjectServers {
  /// What the one has made objects of holds the other's value; a taker begins with such an object.
  @Test
  void ofTwoOccultsNoneIsDoneWhileItsValueIsInAnObject() throws Exception {
    Server first = begin();
    first.prepare(ledger, 2 * KEYS);
    first.occult(3);
    first.occult(5);
    Server second = new Server();
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    AtomicInteger uploads = new AtomicInteger();
    creating =
        () -> {
          if (uploads.incrementAndGet() == 2) {
            reached.countDown();
            await(over);
          }
        };
    try {
      second.erase();
      await(reached);
      Server third = new Server();
      third.awaitErased(2);
      for (int i : List.of(3, 5)) {
        assertThat(found(volume, i)).as("value %d in objects", i).isEmpty();
        assertThat(found(third.disk, i)).as("value %d in files", i).isEmpty();
      }
      assertThat(found(third.disk, 4)).isNotEmpty();
    } finally {
      over.countDown();
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      assertThat(latch.await(Waiting.MAX.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /// Its values were in clear when they were made objects.
  @Test
  void whatARefusedPreparationHasMadeGoesBeforeTheOccultIsDone() throws Exception {
    Server first = begin();
    AtomicInteger made = new AtomicInteger();
    creating =
        () -> {
          if (made.incrementAndGet() == 6) { // the snapshot, behind its images
            occultDuring(first);
          }
        };
    assertThat(
            catchThrowableOfType(
                    RequestRejectedException.class, () -> first.prepare(ledger, 2 * KEYS))
                .code())
        .isEqualTo(RejectionCode.UNAVAILABLE);
    first.awaitErased(1);
    assertThat(found(volume, 3)).isEmpty();
    assertThat(objects().list()).isEmpty();
    first.prepare(ledger, 2 * KEYS);
    assertThat(found(volume, 3)).isEmpty();
    assertThat(found(volume, 4)).isNotEmpty();
  }

  private void occultDuring(Server server) throws IOException {
    try {
      assertThat(found(volume, 3)).isNotEmpty();
      server.occult(3);
      server.erase();
      Waiting.until("zeros are in the file", () -> found(server.disk, 3).isEmpty());
      assertThat(OccultStory.done(server.service)).isZero();
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  /// A snapshot may drop a height while another's values are made an object.
  @Test
  void aFileThatIsDroppedMeanwhileBlocksNoOccult() throws Exception {
    Server first = begin();
    first.prepare(ledger, 2 * KEYS - 2);
    first.prepare(ledger, 2 * KEYS);
    first.occult(3);
    AtomicInteger uploads = new AtomicInteger();
    creating =
        () -> {
          if (uploads.incrementAndGet() == 1) { // of the other's values
            deleteValues(first.disk);
          }
        };
    first.awaitErased(1);
    assertThat(first.disk.list("images")).noneMatch(file -> file.endsWith(".values"));
    assertThat(first.service.gauge("ledger.removals.blocked")).isZero();
  }

  private static void deleteValues(InMemoryDisk disk) {
    for (String file : disk.list("images")) {
      if (file.endsWith(".values")) {
        disk.delete("images/" + file);
      }
    }
  }

  /// They may take minutes, and nobody writes the shard meanwhile.
  @Test
  void aTakeoverWaitsForNoImage() throws Exception {
    Server first = begin();
    first.purge(ledger, first.prepare(ledger, 2 * KEYS));
    List<String> fetching = new CopyOnWriteArrayList<>();
    opening = () -> fetching.add(Thread.currentThread().getName());
    Server second = new Server();
    second.service.append(ledger, ledger.single(++number));
    second.awaitImages(ledger);
    assertThat(fetching).isNotEmpty().allMatch(thread -> thread.endsWith("-erase"));
  }

  @Test
  void aDamagedImageKeepsNoShardDown() throws Exception {
    Server first = begin();
    first.purge(ledger, first.prepare(ledger, 2 * KEYS));
    String piece = found(volume, 4).getFirst();
    volume.flipBit(piece, 0, 0);
    Server second = new Server();
    second.service.append(ledger, ledger.single(++number));
    long height = second.service.node.newestBlock(ledger.strand()).height();
    assertThat(
            catchThrowableOfType(
                    RequestRejectedException.class,
                    () ->
                        second.service.node.state(ledger.strand(), key(4), StateReads.NEWEST, true))
                .code())
        .isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(
            catchThrowableOfType(
                    RequestRejectedException.class, () -> second.prepare(ledger, height))
                .code())
        .isEqualTo(RejectionCode.UNAVAILABLE);
    volume.flipBit(piece, 0, 0);
    Waiting.until(
        "it is fetched",
        () -> {
          second.service.node.shard().removals().removalSaved();
          return !found(second.disk, 4).isEmpty();
        });
    assertValues(second, ledger);
  }

  /// A list is of all logs of a cluster.
  @Test
  void objectsAreListedOnceAlthoughErasingFailsAgainAndAgain() throws Exception {
    Server first = begin();
    first.prepare(ledger, 2 * KEYS);
    first.occult(3);
    listed.clear();
    AtomicInteger tries = new AtomicInteger();
    creating =
        () -> {
          tries.incrementAndGet();
          throw new IOException("no quorum");
        };
    Server second = new Server();
    second.erase();
    Waiting.until(
        "it has failed often",
        () -> {
          second.service.node.shard().removals().removalSaved();
          return tries.get() > 5;
        });
    assertThat(listed).hasSize(1);
    creating = () -> {};
    second.awaitErased(1);
    assertThat(found(volume, 3)).isEmpty();
  }

  @Test
  void bodiesAreErasedAlthoughObjectsCannotBeListedButNoOccultIsDone() throws Exception {
    Server first = begin();
    first.prepare(ledger, 2 * KEYS);
    first.occult(3);
    listing =
        () -> {
          throw new IOException("nobody answers");
        };
    Server second = new Server();
    second.erase();
    int writing = Objects.requireNonNull(numbers.get(3));
    InMemoryMetaStore none = new InMemoryMetaStore();
    Waiting.until(
        "its body is erased", () -> OccultStory.found(streamDisk, none, writing).isEmpty());
    assertThat(OccultStory.done(second.service)).isZero();
    assertThat(found(volume, 3)).isNotEmpty();
    listing = () -> {};
    second.service.clock.addAndGet(120_000);
    second.awaitErased(1);
    assertThat(found(volume, 3)).isEmpty();
  }
}
