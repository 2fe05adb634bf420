package io.tallystick.server.host;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.ProvenTime;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeJournals;
import io.tallystick.note.Checkpoint;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: of all time journals the one is found that outsiders saw last before a time, whatever was
/// indexed before and whatever a restart forgot. Method: a node whose tokens' times the test
/// chooses, beside a list of them all.
class LastGrantTimeTest {
  private static final TimeProof TOKEN = new TimeProof.Token(Bytes.utf8("a token"));

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Fixtures ledger = Fixtures.ledger();
  private final StrandId strand = ledger.strand();
  private final List<ProvenTime> all = new ArrayList<>();
  private TestNode service;

  @BeforeEach
  void open() throws Exception {
    service = new TestNode(disk, meta);
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  private void reopen() throws Exception {
    long nowMs = service.clock.get();
    close();
    open();
    service.clock.set(nowMs);
  }

  private TimeJournals times() {
    return service.node.timeJournals().orElseThrow();
  }

  /// @param skewMs of the token's time from that of the service
  private void grant(long skewMs) throws Exception {
    Checkpoint head = times().unanchored(null, 1).getFirst().head();
    long provenMs = service.clock.get() + skewMs;
    long jsn = times().append(new TimeAnchor(strand, head, TOKEN, provenMs)).jsn();
    all.add(new ProvenTime(jsn, provenMs));
  }

  private void journal(int number) throws Exception {
    service.clock.addAndGet(1_000);
    service.append(ledger, ledger.single(number));
  }

  private void everyTimeIsFound() throws Exception {
    assertThat(times().lastAt(strand, all.getFirst().provenMs() - 20_000)).isEmpty();
    for (ProvenTime each : all) {
      for (long timeMs : new long[] {each.provenMs() - 1, each.provenMs(), each.provenMs() + 1}) {
        assertThat(times().lastAt(strand, timeMs)).isEqualTo(expected(timeMs));
      }
    }
    assertThat(times().lastAt(strand, Long.MAX_VALUE)).isEqualTo(expected(Long.MAX_VALUE));
  }

  private Optional<ProvenTime> expected(long timeMs) {
    ProvenTime best = null;
    for (ProvenTime each : all) {
      if (each.provenMs() <= timeMs && (best == null || each.provenMs() >= best.provenMs())) {
        best = each;
      }
    }
    return Optional.ofNullable(best);
  }

  @Test
  void findsTheLatestThatIsNotAfterATime() throws Exception {
    service.found(ledger);
    assertThat(times().lastAt(strand, Long.MAX_VALUE)).isEmpty();
    grant(0);
    everyTimeIsFound();
    for (int i = 1; i < 8; i++) {
      journal(i);
      grant((i % 3 - 1) * 4_000L); // some earlier than the one before, some equal to another
      if (i % 3 == 0) {
        everyTimeIsFound();
      }
      if (i % 4 == 0) {
        reopen();
      }
    }
    everyTimeIsFound();
    reopen();
    everyTimeIsFound();
  }

  /// All rows of the index, that of no strand included.
  private List<Bytes> rows() throws Exception {
    List<Bytes> rows = new ArrayList<>();
    meta.scan(Bytes.utf8("u"), null, (key, _) -> rows.add(key));
    return rows;
  }

  private void grants(int count) throws Exception {
    service.found(ledger);
    for (int i = 1; i <= count; i++) {
      journal(i);
      grant(0);
    }
  }

  private void deleteRows() throws Exception {
    MetaBatch batch = new MetaBatch();
    rows().forEach(batch::delete);
    meta.write(batch);
  }

  @Test
  void savepointsWriteTheRowsAndReadersNone() throws Exception {
    grants(3);
    everyTimeIsFound();
    assertThat(rows()).as("before the savepoint").hasSize(1);
    close();
    assertThat(rows()).hasSize(4);
    open();
    everyTimeIsFound();
  }

  @Test
  void aDirectoryWithoutRowsGetsThemWhenItOpens() throws Exception {
    grants(3);
    close();
    deleteRows();
    open();
    assertThat(rows()).as("before the first question").hasSize(4);
    everyTimeIsFound();
    journal(5);
    grant(0);
    everyTimeIsFound();
  }

  /// As an earlier version left it, which wrote a row when it was asked for.
  @Test
  void theRowsThatAreThereAreNotWrittenAgain() throws Exception {
    grants(3);
    close();
    List<Bytes> all = rows(); // that of no strand, and the latest first
    meta.write(new MetaBatch().delete(all.get(0)).delete(all.get(1)));
    open();
    assertThat(rows()).isEqualTo(all);
    everyTimeIsFound();
  }

  @Test
  void aTimeJournalThatCannotBeReadKeepsNoShardFromOpening() throws Exception {
    grants(3);
    close();
    deleteRows();
    String segment = disk.names().stream().filter(each -> each.endsWith(".seg")).findFirst().get();
    int token = Bytes.utf8("a token").size();
    long at = indexOf(disk.content(segment), "a token".getBytes(UTF_8));
    disk.flipBit(segment, at + token - 1, 1);
    open();
    assertThat(rows()).isEmpty();
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class, () -> times().lastAt(strand, Long.MAX_VALUE));
    assertThat(refusal.code()).isEqualTo(RejectionCode.DAMAGED);
    close();
    disk.flipBit(segment, at + token - 1, 1);
    open();
    everyTimeIsFound();
  }

  private static int indexOf(byte[] bytes, byte[] sought) {
    for (int at = 0; at + sought.length <= bytes.length; at++) {
      if (Arrays.equals(bytes, at, at + sought.length, sought, 0, sought.length)) {
        return at;
      }
    }
    throw new AssertionError("not there");
  }
}
