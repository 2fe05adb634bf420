package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.LedgerPurges;
import io.tallystick.node.Member;
import io.tallystick.node.MemberCertificates;
import io.tallystick.node.StateReads;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.shard.Ownership;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.ship.DirectorySavepoints;
import io.tallystick.server.ship.SharedObjects;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.testkit.contract.ObjectStoreContract;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: whoever takes a shard over without a savepoint has every chain, mark and snapshot that was
/// acknowledged, with its images, and erases what is to be erased. Method: servers with a disk
/// each, one stream, and one volume of objects; the one before is left as it stands.
class ObjectTakeoverTest {
  private static final SeededSigner DAVE = SeededSigner.ed25519("dave");
  private static final TestAuthority CA = TestAuthority.root("root");
  private static final CertificateChain NAMED = CA.chain("Dave", DAVE.publicKey());
  private static final CertificateChain WAITING = CA.chain("Alice", Fixtures.ALICE.publicKey());
  private static final int KEYS = 12;
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /// No savepoint but those of removals.
  private static final ShardConfig CONFIG = TestNode.CONFIG.withSavepointEvery(100_000, 3_600_000);

  private final InMemoryDisk streamDisk = new InMemoryDisk();
  private final InMemoryDisk volume = new InMemoryDisk();
  private final AtomicLong epoch = new AtomicLong();
  private final AtomicLong shippedTo = new AtomicLong();
  private final List<Server> servers = new ArrayList<>();
  private final Fixtures ledger = ledger(1);
  private final Fixtures marked = ledger(2);
  private final LedgerId id = ledger.strand().ledger();
  private final Map<Integer, Long> jsns = new HashMap<>();
  private int number = 10_000;
  private int stores;

  private static Fixtures ledger(int number) {
    return Fixtures.ledger(Fixtures.TIME_MS + number)
        .withFeatures(Set.of(Feature.CLUE_TRIE))
        .withSmallState();
  }

  private final class Seat implements Ownership {
    private final AtomicLong passed = new AtomicLong();

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

  private final class Server {
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
              objects());
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

    /// Once the erasing may begin.
    void awaitErased(int removals) throws Exception {
      shippedTo.set(-1);
      service.node.shard().removals().removalSaved();
      OccultStory.awaitErased(service, removals);
    }
  }

  private SharedObjects objects() {
    return objects(epoch::get);
  }

  private SharedObjects objects(LongSupplier epoch) {
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

  private static Bytes key(int i) {
    return Bytes.utf8("key " + i);
  }

  private static Bytes value(int i) {
    return Fixtures.bytes32("value " + i);
  }

  private void write(Server server, Fixtures of) throws Exception {
    for (int i = 0; i < KEYS; i++) {
      server.service.append(of, of.clued(++number, "clue " + i % 3));
      Submission writing = of.writing(++number, DraftOp.put(key(i), value(i)));
      long jsn = server.service.append(of, writing).committed().firstJsn();
      jsns.put(i, jsn); // the same in each ledger
    }
  }

  private static void assertValues(Server server, Fixtures of) throws Exception {
    for (int i = 0; i < KEYS; i++) {
      var read = server.service.node.state(of.strand(), key(i), StateReads.NEWEST, true).value();
      assertThat(read.state()).as("key %d", i).isEqualTo(BodyState.PRESENT);
      assertThat(read.value().orElseThrow().value()).isEqualTo(value(i));
    }
  }

  private Server begin() throws Exception {
    Server first = new Server();
    first.service.found(ledger);
    first.service.found(marked);
    for (Fixtures each : List.of(ledger, marked)) {
      first.service.append(each, OccultStory.regulator(each));
      write(first, each);
    }
    return first;
  }

  @Test
  void chainsAndMarksAreThere() throws Exception {
    Server first = begin();
    long until = first.chains().show(id, NAMED);
    assertThat(first.chains().show(id, WAITING)).isEqualTo(until);
    first.service.append(
        ledger,
        ledger.govern(
            Kind.GRANT,
            new Extension.Grant(
                Role.NORMAL,
                DAVE.publicKey(),
                OptionalLong.empty(),
                Optional.empty(),
                false,
                Optional.of(NAMED.digest())),
            Fixtures.ALICE));
    first.service.node.makeReadOnly(marked.strand().ledger(), 99, "one.example");
    Server second = new Server();
    assertThat(second.chains().find(id, NAMED.digest())).contains(NAMED);
    assertThat(second.chains().show(id, NAMED)).isEqualTo(Member.NEVER);
    assertThat(second.chains().show(id, WAITING)).isEqualTo(until);
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class,
            () -> second.service.append(marked, marked.single(++number)));
    assertThat(refusal.code()).isEqualTo(RejectionCode.READ_ONLY);
    assertThat(refusal.limit()).hasValue(99);
    assertThat(second.service.node.liftReadOnly(marked.strand().ledger(), Optional.empty()))
        .isTrue();
    second.service.append(marked, marked.single(++number));

    assertThat(second.chains().erase(id, NAMED.digest())).isTrue();
    assertThat(second.chains().erase(id, WAITING.digest())).isTrue();
    assertThat(objects().list()).isEmpty();
    for (Server each : servers) {
      assertThat(each.disk.list("objects")).as("nothing is on a server's disk").isEmpty();
    }
    Server third = new Server();
    assertThat(third.chains().find(id, NAMED.digest())).isEmpty();
    assertThat(third.chains().erase(id, WAITING.digest())).isFalse();
  }

  /// One snapshot was named by a purge, the other was only prepared.
  @Test
  void snapshotsAreThereWithTheirImages() throws Exception {
    Server first = begin();
    first.purge(ledger, first.prepare(ledger, 2 * KEYS));
    Snapshot prepared = first.prepare(marked, 2 * KEYS);
    Bytes genesis = first.purges().pseudoGenesis(ledger.strand());
    Bytes window = first.purges().window(ledger.strand());
    Bytes clues = first.purges().clues(ledger.strand(), 0, 0, 1 << 20).bytes();
    Bytes state = first.purges().state(ledger.strand(), 0, 0, 1 << 20).bytes();

    Server second = new Server();
    assertThat(second.purges().pseudoGenesis(ledger.strand())).isEqualTo(genesis);
    assertThat(second.purges().window(ledger.strand())).isEqualTo(window);
    assertThat(second.purges().clues(ledger.strand(), 0, 0, 1 << 20).bytes()).isEqualTo(clues);
    assertThat(second.purges().state(ledger.strand(), 0, 0, 1 << 20).bytes()).isEqualTo(state);
    assertThat(second.disk.list("images")).isEqualTo(first.disk.list("images")).hasSize(10);
    second.purge(marked, prepared);
    second.awaitErased(2);
    assertValues(second, ledger);
    assertValues(second, marked);

    Server third = new Server();
    assertThat(third.purges().pseudoGenesis(marked.strand())).isNotNull();
    assertValues(third, ledger);
    assertValues(third, marked);
  }

  /// Images that hold an occulted value are replaced, in the volume too.
  @Test
  void anOccultedValueLeavesTheObjects() throws Exception {
    Server first = begin();
    Snapshot prepared = first.prepare(ledger, 2 * KEYS);
    long jsn = Objects.requireNonNull(jsns.get(3));
    first.service.append(
        ledger, OccultStory.occult(ledger, OccultStory.journals(first.service, ledger, jsn)));
    assertThat(found(volume, 3)).as("in the values' object").isNotEmpty();

    Server second = new Server();
    assertThat(found(second.disk, 3)).isNotEmpty();
    second.awaitErased(1);
    assertThat(found(volume, 3)).isEmpty();
    assertThat(found(second.disk, 3)).isEmpty();
    assertThat(found(volume, 4)).isNotEmpty();

    Server third = new Server();
    assertThat(found(third.disk, 3)).isEmpty();
    third.purge(ledger, prepared);
    third.awaitErased(2);
    var erased = third.service.node.state(ledger.strand(), key(3), StateReads.NEWEST, true);
    assertThat(erased.value().state()).isNotEqualTo(BodyState.PRESENT);
    var kept = third.service.node.state(ledger.strand(), key(4), StateReads.NEWEST, true);
    assertThat(kept.value().value().orElseThrow().value()).isEqualTo(value(4));
  }

  private static List<String> found(InMemoryDisk on, int i) throws Exception {
    return OccultStory.found(on, new InMemoryMetaStore(), value(i).toArray());
  }

  /// What an earlier claim has left and nothing names.
  @Test
  void whoeverClaimsDropsObjectsThatNoNoteNames() throws Exception {
    Server first = begin();
    first.chains().show(id, WAITING);
    long jsn = Objects.requireNonNull(jsns.get(3));
    first.service.append(
        ledger, OccultStory.occult(ledger, OccultStory.journals(first.service, ledger, jsn)));
    KeptObject left = ObjectStoreContract.put(objects(), Bytes.utf8("before its note was durable"));
    KeptObject begun =
        ObjectStoreContract.put(objects(() -> 2), Bytes.utf8("its note is under way"));
    Server second = new Server();
    second.awaitErased(1); // which comes behind the sweep
    assertThat(ObjectStoreContract.read(objects(), left)).isEmpty();
    assertThat(ObjectStoreContract.read(objects(), begun)).isPresent();
    assertThat(objects().list())
        .extracting(ObjectStore.Held::epoch)
        .as("the chain's, and the one that was begun")
        .containsExactlyInAnyOrder(1L, 2L);
    assertThat(second.chains().erase(id, WAITING.digest())).isTrue();
  }
}
