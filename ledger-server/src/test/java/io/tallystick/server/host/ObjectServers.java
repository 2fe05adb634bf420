package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.BodyState;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerPurges;
import io.tallystick.node.MemberCertificates;
import io.tallystick.node.StateReads;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.shard.Ownership;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.ship.DirectorySavepoints;
import io.tallystick.server.ship.SharedObjects;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;

/// Servers with a disk each, one stream, and one volume of objects; the one before is left as it
/// stands when another takes over.
abstract class ObjectServers {
  static final TestAuthority CA = TestAuthority.root("root");
  static final int KEYS = 12;
  static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /// No savepoint but those of removals.
  static final ShardConfig CONFIG = TestNode.CONFIG.withSavepointEvery(100_000, 3_600_000);

  final InMemoryDisk streamDisk = new InMemoryDisk();
  final InMemoryDisk volume = new InMemoryDisk();
  final AtomicLong epoch = new AtomicLong();
  final AtomicLong shippedTo = new AtomicLong();
  final List<Server> servers = new ArrayList<>();
  final Fixtures ledger = ledger(1);
  final Fixtures marked = ledger(2);
  final LedgerId id = ledger.strand().ledger();
  final Map<Integer, Long> jsns = new HashMap<>();
  final List<String> listed = new CopyOnWriteArrayList<>();
  volatile HookedObjects.Hook creating = () -> {};
  volatile HookedObjects.Hook opening = () -> {};
  volatile HookedObjects.Hook listing = () -> {};
  final Map<Integer, Integer> numbers = new HashMap<>();
  int number = 10_000;
  int stores;

  static Fixtures ledger(int number) {
    return Fixtures.ledger(Fixtures.TIME_MS + number)
        .withFeatures(Set.of(Feature.CLUE_TRIE))
        .withSmallState();
  }

  final class Seat implements Ownership {
    final AtomicLong passed = new AtomicLong();

    @Override
    public boolean isShared() {
      return true;
    }

    @Override
    public boolean isOurs() {
      return servers.getLast().seat == this;
    }

    @Override
    public long shippedTo() {
      return shippedTo.get();
    }

    @Override
    public long nanoTime() {
      return System.nanoTime() + passed.get();
    }

    @Override
    public void pause(long nanos) throws InterruptedException {
      if (nanos < SHORT_NANOS) {
        TimeUnit.NANOSECONDS.sleep(nanos); // for a frame
      } else {
        passed.addAndGet(nanos);
      }
    }
  }

  final class Server {
    final InMemoryDisk disk = new InMemoryDisk();
    final InMemoryMetaStore meta = new InMemoryMetaStore();
    final Seat seat = new Seat();
    final TestNode service;

    Server() throws Exception {
      servers.add(this);
      service =
          new TestNode(
              disk,
              meta,
              ShippedStory.streams(streamDisk),
              _ -> epoch.incrementAndGet(),
              CONFIG,
              seat,
              new HookedObjects(
                  objects(),
                  () -> creating.before(),
                  () -> opening.before(),
                  () -> {
                    listed.add("list");
                    listing.before();
                  }));
      service.trust(CA.trusted());
    }

    MemberCertificates chains() {
      return service.node.memberCertificates().orElseThrow();
    }

    LedgerPurges purges() {
      return service.node.purges().orElseThrow();
    }

    Snapshot prepare(Fixtures of, long height) throws Exception {
      return Snapshot.decode(purges().prepare(of.strand(), height, List.of()));
    }

    void awaitImages(Fixtures of) throws Exception {
      Waiting.until(
          "images of " + of.strand() + " are fetched",
          () -> {
            try {
              return purges().state(of.strand(), 0, 0, 1 << 20) != null;
            } catch (RequestRejectedException e) {
              assertThat(e.code()).isEqualTo(RejectionCode.UNAVAILABLE);
              return false;
            }
          });
    }

    void purge(Fixtures of, Snapshot by) throws Exception {
      service.append(
          of,
          of.govern(
              Kind.PURGE,
              new Extension.Purge(by.firstKept(), by.height(), by.digest(), 0),
              Fixtures.ALICE));
      service.clock.addAndGet(10L * servers.size()); // beyond the newest frame
      service.append(of, of.single(++number));
    }

    /// From now on the erasing may begin.
    void erase() {
      shippedTo.set(-1);
      service.node.shard().removals().removalSaved();
    }

    void awaitErased(int removals) throws Exception {
      erase();
      OccultStory.awaitErased(service, removals);
    }

    void occult(int i) throws Exception {
      long jsn = Objects.requireNonNull(jsns.get(i));
      service.append(
          ledger, OccultStory.occult(ledger, OccultStory.journals(service, ledger, jsn)));
    }
  }

  SharedObjects objects() {
    return objects(epoch::get);
  }

  SharedObjects objects(LongSupplier epoch) {
    return new SharedObjects(
        new DirectorySavepoints(volume, "objects", new Random(++stores)), epoch);
  }

  @AfterEach
  void close() {
    for (Server each : servers) {
      try {
        each.service.close();
      } catch (Exception e) {
        assertThat(each).as("was taken over").isNotSameAs(servers.getLast());
      }
    }
  }

  static Bytes key(int i) {
    return Bytes.utf8("key " + i);
  }

  static Bytes value(int i) {
    return Fixtures.bytes32("value " + i);
  }

  void write(Server server, Fixtures of) throws Exception {
    for (int i = 0; i < KEYS; i++) {
      server.service.append(of, of.clued(++number, "clue " + i % 3));
      if (of.equals(ledger)) {
        numbers.put(i, number + 1);
      }
      Submission writing = of.writing(++number, DraftOp.put(key(i), value(i)));
      long jsn = server.service.append(of, writing).committed().firstJsn();
      jsns.put(i, jsn); // the same in each ledger
    }
  }

  static void assertValues(Server server, Fixtures of) throws Exception {
    for (int i = 0; i < KEYS; i++) {
      var read = server.service.node.state(of.strand(), key(i), StateReads.NEWEST, true).value();
      assertThat(read.state()).as("key %d", i).isEqualTo(BodyState.PRESENT);
      assertThat(read.value().orElseThrow().value()).isEqualTo(value(i));
    }
  }

  Server begin() throws Exception {
    Server first = new Server();
    first.service.found(ledger);
    first.service.found(marked);
    for (Fixtures each : List.of(ledger, marked)) {
      first.service.append(each, OccultStory.regulator(each));
      write(first, each);
    }
    return first;
  }

  static List<String> found(InMemoryDisk on, int i) throws Exception {
    return OccultStory.found(on, new InMemoryMetaStore(), value(i).toArray());
  }
}
