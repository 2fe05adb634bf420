package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.BodyState;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.StateReads;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: what is removed while values are copied for a purge does not come back. Method: the
/// removal is carried out whole when the copies are written, and before they have their name.
class StatePurgeRaceTest {
  private static final int WRITES = 8;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final HookedDisk hooked = new HookedDisk(disk);
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Fixtures ledger = Fixtures.ledger().withSmallState();
  private TestNode service;
  private long first;

  @BeforeEach
  void open() throws Exception {
    service = new TestNode(hooked, meta);
    service.found(ledger);
    service.append(ledger, OccultStory.regulator(ledger));
    for (int i = 0; i < WRITES; i++) {
      Submission write = ledger.writing(i, DraftOp.put(key(i), value(i)));
      first = service.append(ledger, write).committed().firstJsn();
    }
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  private static Bytes key(int i) {
    return Bytes.utf8("key " + i);
  }

  private static Bytes value(int i) {
    return Fixtures.bytes32("value " + i);
  }

  private Snapshot prepare() throws RequestRejectedException {
    try {
      return Snapshot.decode(
          service.node.purges().orElseThrow().prepare(ledger.strand(), WRITES, List.of()));
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private void purge(Snapshot snapshot) throws Exception {
    service.append(
        ledger,
        ledger.govern(
            Kind.PURGE,
            new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), 0),
            Fixtures.ALICE));
    service.clock.addAndGet(10);
  }

  /// Does something once, when the copies are written.
  private void whenCopied(Callable<?> what) {
    long preparing = Thread.currentThread().threadId();
    hooked.onForce =
        () -> {
          boolean copied = disk.names().stream().anyMatch(name -> name.endsWith(".values.new"));
          if (copied && Thread.currentThread().threadId() == preparing) {
            hooked.onForce = () -> {};
            try {
              what.call();
            } catch (Exception e) {
              throw new IOException(e);
            }
          }
        };
  }

  @Test
  void anOccultedValueIsNoCopy() throws Exception {
    long target = first - 4; // every second leaf is a seal
    whenCopied(() -> {
      occult(target);
      return null;
    });
    Snapshot snapshot = prepare();
    assertThat(OccultStory.done(service)).as("in the middle").isEqualTo(1);
    int occulted = WRITES - 3;
    assertThat(OccultStory.found(disk, meta, value(occulted).toArray())).isEmpty();
    purge(snapshot);
    OccultStory.awaitErased(service, 2);
    for (int i = 0; i < WRITES; i++) {
      assertThat(
              service.node.state(ledger.strand(), key(i), StateReads.NEWEST, true).value().state())
          .as("key %d", i)
          .isEqualTo(i == occulted ? BodyState.ERASED : BodyState.PRESENT);
    }
  }

  private void occult(long target) throws Exception {
    service.append(
        ledger, OccultStory.occult(ledger, OccultStory.journals(service, ledger, target)));
    OccultStory.awaitErased(service, 1);
  }

  @Test
  void copiesThatFailAreDeleted() throws Exception {
    byte[] occulted = value(WRITES - 3).toArray();
    whenCopied(() -> {
      occult(first - 4);
      throw new IOException("the disk failed");
    });
    assertThat(catchThrowableOfType(RequestRejectedException.class, this::prepare)).isNotNull();
    assertThat(OccultStory.done(service)).isEqualTo(1);
    assertThat(OccultStory.found(disk, meta, occulted)).isEmpty();
    assertThat(disk.list("images")).isEmpty();
    purge(prepare());
    OccultStory.awaitErased(service, 2);
    assertThat(OccultStory.done(service)).isEqualTo(2);
    assertThat(OccultStory.found(disk, meta, occulted)).isEmpty();
  }

  /// The occult was carried out before the crash, so nothing looks for its values again.
  @Test
  void copiesThatACrashLeavesAreDeletedAtTheStart() throws Exception {
    byte[] occulted = value(WRITES - 3).toArray();
    List<InMemoryMetaStore> rows = new ArrayList<>();
    List<InMemoryDisk> files = new ArrayList<>();
    whenCopied(() -> {
      occult(first - 4);
      rows.add(meta.copy());
      return files.add(disk.copy());
    });
    assertThat(prepare().height()).isEqualTo(WRITES);
    InMemoryMetaStore crashedMeta = rows.getFirst();
    InMemoryDisk crashed = files.getFirst();
    assertThat(OccultStory.found(crashed, crashedMeta, occulted))
        .hasSize(1)
        .allMatch(name -> name.endsWith(".values.new"));
    try (TestNode again = new TestNode(crashed, crashedMeta)) {
      assertThat(OccultStory.done(again)).isEqualTo(1);
      assertThat(OccultStory.found(crashed, crashedMeta, occulted)).isEmpty();
      assertThat(crashed.list("images")).isEmpty();
    }
  }

  @Test
  void copiesOfWhatIsPurgedMeanwhileAreNotTaken() throws Exception {
    Snapshot snapshot = prepare();
    whenCopied(() -> {
      purge(snapshot);
      OccultStory.awaitErased(service, 1);
      return null;
    });
    assertThat(catchThrowableOfType(RequestRejectedException.class, this::prepare).code())
        .isEqualTo(RejectionCode.PURGE_TOO_LOW);
    assertThat(OccultStory.done(service)).isEqualTo(1);
    for (int i = 0; i < WRITES; i++) {
      assertThat(
              service.node.state(ledger.strand(), key(i), StateReads.NEWEST, true).value().state())
          .as("key %d", i)
          .isEqualTo(BodyState.PRESENT);
    }
  }
}
