package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.UnanchoredHead;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a clock that is set back does not make a regulator older than time journals show. Method:
/// an idle ledger that has a time journal; its owner and operator set the clock back, appoint, and
/// set it forth; with savepoints after every journal and with none, over restarts.
class RegulatorDaysTest {
  private static final long DAY_MS = 24L * 60 * 60 * 1000;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private Fixtures ledger = Fixtures.ledger();
  private TestNode service;
  private ShardConfig config = TestNode.CONFIG;
  private long nowMs = Fixtures.TIME_MS;

  @BeforeEach
  void open() throws Exception {
    service = new TestNode(disk, meta, config, nowMs);
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  private void found(int savepointEvery) throws Exception {
    config = TestNode.CONFIG.withSavepointEvery(savepointEvery, 3_600_000);
    startsOnDay(0);
    service.found(ledger);
  }

  /// The service starts again, and its clock says so many days after it began.
  private void startsOnDay(long day) throws Exception {
    close();
    nowMs = Fixtures.TIME_MS + day * DAY_MS;
    ledger = new Fixtures(ledger.params(), nowMs);
    open();
  }

  private long append(Submission submission) throws Exception {
    return service.append(ledger, submission).committed().firstJsn();
  }

  private void anchor() throws Exception {
    TimeJournals times = service.node.timeJournals().orElseThrow();
    for (UnanchoredHead head : times.unanchored(null, 10)) {
      TimeProof proof = new TimeProof.Token(Bytes.utf8("a token of " + nowMs));
      times.append(new TimeAnchor(head.strand(), head.head(), proof, nowMs));
    }
  }

  private RequestRejectedException tooNew(ErasureTarget target) {
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class, () -> append(OccultStory.occult(ledger, target)));
    assertThat(refusal).isNotNull();
    assertThat(refusal.code()).isEqualTo(RejectionCode.REGULATOR_TOO_NEW);
    return refusal;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1_000})
  void daysBeginAtTheTimeJournalThatCoversTheAppointment(int savepointEvery) throws Exception {
    found(savepointEvery);
    long old = append(ledger.single(1));
    anchor();
    startsOnDay(9); // it is day 40, and the clock is 31 days behind
    long appointment = append(OccultStory.regulator(ledger));
    startsOnDay(40);
    ErasureTarget target = OccultStory.journals(service, ledger, old);
    assertThat(tooNew(target)).hasMessageContaining("have not begun");
    long young = append(ledger.single(2));
    assertThat(young).isGreaterThan(appointment);
    append(OccultStory.occult(ledger, OccultStory.journals(service, ledger, young)));

    anchor();
    long coveredMs = nowMs;
    startsOnDay(41);
    anchor();
    startsOnDay(69);
    assertThat(tooNew(target).limit()).hasValue(coveredMs + 30 * DAY_MS);
    startsOnDay(70);
    append(OccultStory.occult(ledger, target));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1_000})
  void withoutTimeJournalsDaysBeginAtTheAppointment(int savepointEvery) throws Exception {
    found(savepointEvery);
    long old = append(ledger.single(1));
    append(OccultStory.regulator(ledger));
    startsOnDay(30);
    ErasureTarget target = OccultStory.journals(service, ledger, old);
    anchor(); // the first one of the ledger is about its genesis
    assertThat(tooNew(target)).hasMessageContaining("have not begun");
    anchor();
    assertThat(tooNew(target).limit()).hasValue(nowMs + 30 * DAY_MS);
    startsOnDay(60);
    append(OccultStory.occult(ledger, target));
  }
}
