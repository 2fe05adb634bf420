package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.BodyState;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerPurges;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.ReadValue;
import io.tallystick.node.StatePruning;
import io.tallystick.node.StateQuery;
import io.tallystick.node.StateReads;
import io.tallystick.removal.Snapshot;
import io.tallystick.state.StateValue;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.forest.SnapshotStateFile;
import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a purge of a ledger with a state leaves the values that the state has, whatever body they
/// were in, and no others; the state is filled again without what was purged. Method: values are
/// unlike each other, so each is searched for in all files and rows.
class StatePurgeTest {
  private static final int KEYS = 23;
  private static final long DAY_MS = 24L * 60 * 60 * 1000;

  /// In a file of copies, behind its header.
  private static final long FIRST_COPY_AT = 60;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Map<Bytes, Bytes> current = new HashMap<>();
  private final Map<Bytes, Long> writers = new HashMap<>();
  private Fixtures ledger = Fixtures.ledger().withSmallState();
  private TestNode service;
  private long nowMs = Fixtures.TIME_MS;
  private int number = 10_000;
  private int again = 99;

  @BeforeEach
  void open() throws Exception {
    service = new TestNode(disk, meta, TestNode.TINY_SEGMENTS, TestNode.CONFIG, nowMs);
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  private void reopen() throws Exception {
    close();
    open();
  }

  private void pass(long ms) {
    nowMs += ms;
    ledger = new Fixtures(ledger.params(), nowMs);
    service.clock.set(nowMs);
  }

  private long append(Submission submission) throws Exception {
    return service.append(ledger, submission).committed().firstJsn();
  }

  private static Bytes value(int number) {
    return Fixtures.bytes32("value " + number);
  }

  /// Each writes a key of its own, one of a few, and deletes one now and then.
  private void write(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      Bytes own = Bytes.utf8("own " + number);
      Bytes shared = Bytes.utf8("shared " + number % KEYS);
      Bytes gone = Bytes.utf8("own " + (number - 7));
      DraftOp third =
          number % 5 == 0 ? DraftOp.delete(gone) : DraftOp.put(Bytes.utf8("last"), value(-number));
      long jsn =
          append(
              ledger.writing(
                  number,
                  DraftOp.put(own, value(number)),
                  DraftOp.put(shared, value(1_000_000 + number)),
                  third));
      current.put(own, value(number));
      current.put(shared, value(1_000_000 + number));
      writers.put(own, jsn);
      if (number % 5 == 0) {
        current.remove(gone);
      } else {
        current.put(Bytes.utf8("last"), value(-number));
      }
      number++;
    }
  }

  private long height() throws Exception {
    return service.node.newestBlock(ledger.strand()).height();
  }

  private Snapshot prepare(long height) throws Exception {
    return Snapshot.decode(
        service.node.purges().orElseThrow().prepare(ledger.strand(), height, List.of()));
  }

  private long purge(Snapshot snapshot, long recallMs) throws Exception {
    return append(
        ledger.govern(
            Kind.PURGE,
            new Extension.Purge(
                snapshot.firstKept(), snapshot.height(), snapshot.digest(), recallMs),
            Fixtures.ALICE));
  }

  private Submission recall(long purge) {
    return ledger.submission(
        RequestDraft.govern(
                ledger.strand(),
                Kind.RECALL,
                new Extension.Recall(new Jsn(purge)),
                ledger.timeMs(),
                Fixtures.bytes32("recall"))
            .build(),
        Fixtures.ALICE);
  }

  private ProvenState state(Bytes key, long height) throws Exception {
    return service.node.state(ledger.strand(), key, height, true);
  }

  private void assertReads() throws Exception {
    for (Map.Entry<Bytes, Bytes> each : current.entrySet()) {
      ReadValue read = state(each.getKey(), StateReads.NEWEST).value();
      assertThat(read.value().map(StateValue::value))
          .as("%s of %s", read.state(), each.getKey())
          .contains(each.getValue());
    }
    StateQuery all = new StateQuery(Bytes.EMPTY, Optional.empty(), 1000, StateReads.NEWEST, true);
    ProvenStatePage page = service.node.statePage(ledger.strand(), all);
    assertThat(page.entries()).hasSameSizeAs(current.keySet());
    assertThat(page.values()).allMatch(read -> read.state() == BodyState.PRESENT);
  }

  private List<String> found(int number) throws Exception {
    return OccultStory.found(disk, meta, value(number).toArray());
  }

  private RejectionCode refusal(Bytes key, long height) {
    return catchThrowableOfType(RequestRejectedException.class, () -> state(key, height)).code();
  }

  /// A write that needs a damaged page: one that begins a partition needs none.
  private void writeUntilFilledAgain() throws Exception {
    for (int i = 0; i < 8 && service.stateRebuilds() == 0; i++) {
      Bytes key = Bytes.utf8("again " + i);
      again++;
      append(ledger.writing(again, DraftOp.put(key, value(again))));
      current.put(key, value(again));
    }
    assertThat(service.stateRebuilds()).isEqualTo(1);
  }

  @Test
  void currentValuesStayAndOthersGo() throws Exception {
    service.found(ledger);
    write(60);
    long height = height();
    int firstBehind = number;
    write(10);
    Map<Bytes, StateAnswer> answers = new HashMap<>();
    for (Bytes key : current.keySet()) {
      answers.put(key, state(key, StateReads.NEWEST).answer());
    }
    Snapshot snapshot = prepare(height);
    purge(snapshot, 0);
    pass(1);
    OccultStory.awaitErased(service, 1);
    assertThat(OccultStory.done(service)).isEqualTo(1);
    for (int round = 0; round < 3; round++) {
      assertReads();
      for (Map.Entry<Bytes, StateAnswer> each : answers.entrySet()) {
        assertThat(state(each.getKey(), StateReads.NEWEST).answer()).isEqualTo(each.getValue());
      }
      assertThat(refusal(Bytes.utf8("last"), height - 1)).isEqualTo(RejectionCode.PRUNED);
      for (int each = 10_000; each < firstBehind; each++) {
        assertThat(OccultStory.found(disk, meta, each)).as("payload %d", each).isEmpty();
        boolean kept = current.containsValue(value(each));
        assertThat(found(each)).as("value %d", each).hasSize(kept ? 1 : 0);
        assertThat(found(each)).allMatch(name -> name.endsWith(".values"));
        boolean shared = current.containsValue(value(1_000_000 + each));
        assertThat(found(1_000_000 + each)).as("shared %d", each).hasSize(shared ? 1 : 0);
        assertThat(found(-each)).as("last %d", each).isEmpty();
      }
      assertThat(found(firstBehind)).allMatch(name -> name.startsWith("stream"));
      if (round == 0) {
        reopen();
      } else if (round == 1) {
        close();
        DamagedState.damage(disk);
        open();
        writeUntilFilledAgain();
      }
    }
    write(3);
    assertReads();
  }

  /// Each takes over what the one before has left, and its files go.
  @Test
  void purgesFollowEachOther() throws Exception {
    service.found(ledger);
    for (int purge = 1; purge <= 3; purge++) {
      write(40);
      Snapshot unused = prepare(height() - 3);
      assertThat(unused.height()).isPositive();
      purge(prepare(height()), 0);
      pass(1);
      OccultStory.awaitErased(service, purge);
      assertThat(OccultStory.done(service)).isEqualTo(purge);
      assertThat(disk.list("images")).hasSize(3);
      write(5);
      assertReads();
    }
    for (int each = 10_000; each < 10_100; each++) {
      boolean kept = current.containsValue(value(each));
      assertThat(found(each)).as("value %d", each).hasSize(kept ? 1 : 0);
      assertThat(found(-each)).as("last %d", each).isEmpty();
    }
    assertThat(disk.exists("stream/00000000/00000000.seg")).as("dropped").isFalse();
    close();
    DamagedState.damage(disk);
    open();
    writeUntilFilledAgain();
    assertReads();
  }

  private Digest sealedRoot(long height) throws Exception {
    Bytes seal = service.node.blockAt(ledger.strand(), height).sealLeaf();
    return ((SealLeaf) Leaf.decode(seal)).stateRoot();
  }

  /// What auditors take over from the purge in force, in small parts.
  private SnapshotStateFile servedState(Snapshot snapshot) throws Exception {
    LedgerPurges purges = service.node.purges().orElseThrow();
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    LedgerPurges.FilePart part = purges.state(ledger.strand(), 0, 0, 1000);
    all.writeBytes(part.bytes().toArray());
    while (all.size() < part.fileBytes()) {
      part = purges.state(ledger.strand(), part.firstKept(), all.size(), 1000);
      all.writeBytes(part.bytes().toArray());
    }
    assertThat(part.firstKept()).isEqualTo(snapshot.firstKept().value());
    return SnapshotStateFile.read(all.toByteArray());
  }

  /// From the beginning: there is no older version to go back to.
  private void fillAgain() throws Exception {
    var _ = service.node.pruneState(ledger.strand().ledger(), new StatePruning.Below(height()));
    close();
    DamagedState.damage(disk);
    open();
    writeUntilFilledAgain();
    assertReads();
  }

  /// A purge of a block that is no longer the newest.
  ///
  /// @param root of the state, as that block sealed it
  private record Prepared(Snapshot snapshot, Digest root) {}

  private Prepared prepareAndGoOn() throws Exception {
    write(30);
    long height = height();
    Digest root = sealedRoot(height);
    write(9);
    Prepared prepared = new Prepared(prepare(height), root);
    assertThat(disk.names()).noneMatch(name -> name.endsWith(".new"));
    write(2);
    assertThat(sealedRoot(height())).isNotEqualTo(root);
    return prepared;
  }

  /// Also when the state was filled again from the image of the purge.
  private void assertTakenOver(Prepared prepared) throws Exception {
    assertThat(servedState(prepared.snapshot()).root()).isEqualTo(prepared.root());
    fillAgain();
    SnapshotStateFile file = servedState(prepared.snapshot());
    assertThat(file.root()).isEqualTo(prepared.root());
    assertThat(file.partitions().getFirst().number()).as("folded").isPositive();
  }

  private void carriedOut(Prepared prepared, int purges) throws Exception {
    purge(prepared.snapshot(), 0);
    pass(1);
    OccultStory.awaitErased(service, purges);
    assertThat(OccultStory.done(service)).isEqualTo(purges);
    assertThat(disk.list("images")).hasSize(3);
  }

  @Test
  void theStateIsTakenOverAsOfThePurgesBlock() throws Exception {
    service.found(ledger);
    Prepared first = prepareAndGoOn();
    carriedOut(first, 1);
    assertTakenOver(first);
    Prepared recalled = prepareAndGoOn();
    long purge = purge(recalled.snapshot(), DAY_MS);
    assertTakenOver(recalled);
    append(recall(purge));
    assertTakenOver(first);
    Prepared second = prepareAndGoOn();
    carriedOut(second, 2);
    assertTakenOver(second);
  }

  /// There is nothing to take over, and no file.
  @Test
  void anEmptyStateHasNoFile() throws Exception {
    service.found(ledger);
    append(ledger.single(1));
    Snapshot snapshot = prepare(height());
    write(5);
    purge(snapshot, 0);
    pass(1);
    OccultStory.awaitErased(service, 1);
    assertThat(
            catchThrowableOfType(RequestRejectedException.class, () -> servedState(snapshot))
                .code())
        .isEqualTo(RejectionCode.OUT_OF_RANGE);
    assertThat(disk.list("images")).hasSize(2);
    fillAgain();
  }

  private long bytesOfCopies() throws Exception {
    long bytes = 0;
    for (String name : disk.names()) {
      if (name.endsWith(".values")) {
        bytes += disk.content(name).length;
      }
    }
    return bytes;
  }

  /// What the copies of values that are current and in purged bodies take at least: 50 bytes, key
  /// and value each.
  private long bytesOfLiveCopies(long firstKept) throws Exception {
    StateQuery all = new StateQuery(Bytes.EMPTY, Optional.empty(), 1000, StateReads.NEWEST, false);
    return service.node.statePage(ledger.strand(), all).entries().stream()
        .filter(entry -> entry.jsn().value() < firstKept)
        .mapToLong(entry -> 50 + entry.key().size() + entry.valueSizeBytes())
        .sum();
  }

  /// Decision 34: what bounds the copies. Purges that were prepared for nothing have copies, too.
  @Test
  void copiesTakeWhatWasCurrentAtTheLastPurge() throws Exception {
    service.found(ledger);
    for (int purge = 1; purge <= 3; purge++) {
      write(40);
      for (int i = 0; i < 8; i++) {
        var _ = prepare(height() - 20 + i);
      }
      Snapshot snapshot = prepare(height());
      long live = bytesOfLiveCopies(snapshot.firstKept().value());
      assertThat(bytesOfCopies()).as("prepared").isBetween(live, 10 * live);
      purge(snapshot, 0);
      pass(1);
      OccultStory.awaitErased(service, purge);
      assertThat(OccultStory.done(service)).isEqualTo(purge);
      long bytes = bytesOfCopies();
      assertThat(bytes).as("carried out").isBetween(live, live * 8 / 5);
      write(60);
      assertThat(bytesOfCopies()).as("no more until the next").isEqualTo(bytes);
      assertThat(bytesOfLiveCopies(snapshot.firstKept().value())).isLessThan(live);
    }
  }

  @Test
  void anOccultErasesTheCopiesToo() throws Exception {
    service.found(ledger);
    append(OccultStory.regulator(ledger));
    write(20);
    Snapshot snapshot = prepare(height());
    Bytes key = Bytes.utf8("own 10004");
    assertThat(found(10_004)).hasSize(2);
    append(
        OccultStory.occult(
            ledger,
            OccultStory.journals(service, ledger, Objects.requireNonNull(writers.get(key)))));
    OccultStory.awaitErased(service, 1);
    assertThat(OccultStory.done(service)).isEqualTo(1);
    assertThat(found(10_004)).isEmpty();
    assertThat(found(10_006)).hasSize(2);
    purge(snapshot, 0);
    pass(1);
    OccultStory.awaitErased(service, 2);
    assertThat(OccultStory.done(service)).isEqualTo(2);
    assertThat(state(key, StateReads.NEWEST).value().state()).isEqualTo(BodyState.ERASED);
    assertThat(found(10_004)).isEmpty();
    current.remove(key);
    write(20);
    purge(prepare(height()), 0);
    pass(1);
    OccultStory.awaitErased(service, 3);
    assertThat(state(key, StateReads.NEWEST).value().state()).isEqualTo(BodyState.ERASED);
    assertThat(state(Bytes.utf8("own 10009"), StateReads.NEWEST).value().state())
        .isEqualTo(BodyState.PRESENT);
  }

  /// They are as long as the state; an occult of a newer journal has nothing to look for in them.
  @Test
  void anOccultReadsNoCopiesOfOlderValues() throws Exception {
    service.found(ledger);
    append(OccultStory.regulator(ledger));
    write(20);
    assertThat(prepare(height()).height()).isPositive();
    write(1);
    for (String name : disk.names()) {
      if (name.endsWith(".values")) {
        disk.flipBit(name, FIRST_COPY_AT, 0);
      }
    }
    Bytes key = Bytes.utf8("own " + (number - 1));
    append(
        OccultStory.occult(
            ledger,
            OccultStory.journals(service, ledger, Objects.requireNonNull(writers.get(key)))));
    OccultStory.awaitErased(service, 1);
    assertThat(OccultStory.done(service)).isEqualTo(1);
    assertThat(found(number - 1)).isEmpty();
  }

  @Test
  void aRecallLeavesAllValues() throws Exception {
    service.found(ledger);
    write(90); // past a savepoint
    long height = height();
    long purge = purge(prepare(height), DAY_MS);
    assertReads();
    assertThat(refusal(Bytes.utf8("last"), height - 1)).isEqualTo(RejectionCode.PRUNED);
    append(recall(purge));
    assertReads();
    assertThat(state(Bytes.utf8("last"), height - 1).value().state()).isEqualTo(BodyState.PRESENT);
    close();
    DamagedState.damage(disk);
    open();
    writeUntilFilledAgain();
    assertReads();
  }

  /// A savepoint, which keeps the newest version.
  private void save() throws Exception {
    var _ = service.node.pruneState(ledger.strand().ledger(), new StatePruning.Below(0));
  }

  /// In a version as of the purge, which a savepoint kept.
  @Test
  void aReplacedValueIsErasedInVersionsThatStay() throws Exception {
    service.found(ledger);
    write(10);
    long height = height();
    save();
    write(2);
    purge(prepare(height), 0);
    pass(1);
    OccultStory.awaitErased(service, 1);
    assertThat(state(Bytes.utf8("last"), height).value().state()).isEqualTo(BodyState.ERASED);
    assertThat(state(Bytes.utf8("own 10008"), height).value().state()).isEqualTo(BodyState.PRESENT);
  }
}
