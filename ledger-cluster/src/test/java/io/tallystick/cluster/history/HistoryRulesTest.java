package io.tallystick.cluster.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.Sha256;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: each rule of the judge finds what breaks it, and nothing else. Method: a log that is made
/// up, its true history, and one lie.
class HistoryRulesTest {
  private static final int JOURNALS = 10;
  private static final Digest KID = Digest.ZERO;

  /// Behind all that is told at first.
  private static final long LATER = 10L * JOURNALS;

  private final Made ledger = new Made();
  private final History history = new History();

  private static final class Made implements JudgedLedger {
    final List<Listed> log = new ArrayList<>();
    final Set<Digest> proposals = new HashSet<>();
    final NavigableSet<Long> anchors = new TreeSet<>();
    Optional<String> alarm = Optional.empty();

    @Override
    public List<Listed> log() {
      return log;
    }

    @Override
    public Set<Digest> proposals() {
      return proposals;
    }

    @Override
    public long anchored(long size) {
      Long at = anchors.floor(size);
      return at == null ? 0 : at;
    }

    @Override
    public Optional<String> alarm() {
      return alarm;
    }
  }

  @BeforeEach
  void tell() {
    for (int i = 0; i < JOURNALS; i++) {
      list(text(i));
      receipted(10L * i, i);
    }
  }

  private static String text(long number) {
    return "text " + number;
  }

  private static Digest digest(String of) {
    return Sha256.hash(of.getBytes(StandardCharsets.UTF_8));
  }

  private void list(String text) {
    long jsn = ledger.log.size();
    ledger.log.add(
        new JudgedLedger.Listed(
            jsn,
            Bytes.utf8("leaf " + jsn),
            Optional.of(digest("request " + jsn)),
            Optional.of(text).filter(each -> !each.isEmpty())));
  }

  private void relist(long jsn, String text) {
    JudgedLedger.Listed before = ledger.log.get((int) jsn);
    ledger.log.set(
        (int) jsn,
        new JudgedLedger.Listed(
            jsn,
            before.leaf(),
            before.requestHash(),
            Optional.of(text).filter(each -> !each.isEmpty())));
  }

  private static Told.Span span(long at) {
    return new Told.Span(at, at + 1);
  }

  private void receipted(long at, long jsn) {
    history.add(new Told.Receipted(span(at), List.of(placed(jsn)), head(ledger.log.size())));
  }

  private Told.Placed placed(long jsn) {
    return new Told.Placed(text(jsn), jsn, leafHash((int) jsn));
  }

  private Digest leafHash(int jsn) {
    return TreeHasher.leafHash(ledger.log.get(jsn).leaf());
  }

  private Told.Stated head(int size) {
    return new Told.Stated(size, root(0, size));
  }

  /// RFC 9162 section 2.1.1.
  private Digest root(int from, int size) {
    if (size == 1) {
      return leafHash(from);
    }
    int left = Integer.highestOneBit(size - 1);
    return TreeHasher.nodeHash(root(from, left), root(from + left, size - left));
  }

  private void assertFaults(String... faults) throws Exception {
    assertThat(HistoryCheck.faults(history, ledger)).containsExactlyInAnyOrder(faults);
  }

  @Test
  void nothingIsWrongWithTheTruth() throws Exception {
    list("");
    history.add(new Told.Newest(span(LATER), head(JOURNALS + 1)));
    history.add(new Told.FutureSize(span(LATER), JOURNALS + 1));
    history.add(new Told.Unread(span(LATER)));
    history.add(new Told.Joined(span(LATER)));
    history.add(new Told.Unknown(span(LATER), List.of("in flight")));
    history.add(new Told.Refused(span(LATER), List.of("refused"), "rate_limited"));
    assertFaults();
  }

  @Test
  void aCallMayNotEndSo() throws Exception {
    history.fault("a client waits for an answer");
    assertFaults("a call ended with: a client waits for an answer");
  }

  @Test
  void noReceiptIsForAJournalBeforeOneThatWasAcknowledged() throws Exception {
    receipted(LATER, 3);
    assertFaults("journal 3 was sent after 9 was acknowledged");
  }

  @Test
  void noPromiseIsForAJournalBeforeOneThatWasAcknowledged() throws Exception {
    history.add(new Told.Promised(span(LATER), List.of(text(4), text(5)), 4));
    assertFaults("journal 4 was sent after 9 was acknowledged");
  }

  @Test
  void noReceiptIsForAJournalBeforeOneThatWasPromised() throws Exception {
    list(text(10));
    list(text(11));
    list(text(12));
    history.add(new Told.Promised(span(LATER), List.of(text(11), text(12)), 11));
    receipted(LATER + 10, 10);
    assertFaults("journal 10 was sent after 12 was acknowledged");
  }

  @Test
  void theNewestHeadCoversAReceipt() throws Exception {
    history.add(new Told.Newest(span(LATER), head(JOURNALS - 1)));
    history.add(new Told.Newest(new Told.Span(5, LATER), head(1)));
    assertFaults("the newest head has size 9 after 10 was shown");
  }

  @Test
  void theNewestHeadCoversOneThatWasShown() throws Exception {
    list("");
    history.add(new Told.Newest(span(LATER), head(JOURNALS + 1)));
    history.add(new Told.Newest(span(LATER + 10), head(JOURNALS)));
    assertFaults("the newest head has size 10 after 11 was shown");
  }

  @Test
  void noSizeThatWasShownIsInTheFuture() throws Exception {
    history.add(new Told.FutureSize(span(LATER), JOURNALS));
    history.add(new Told.FutureSize(new Told.Span(1, LATER), JOURNALS));
    assertFaults("size 10 is said to be in the future after 10 was shown");
  }

  @Test
  void noBodyIsReadBehindItsOccult() throws Exception {
    relist(3, "");
    history.add(new Told.Erased(span(LATER), 3));
    history.add(new Told.Body(new Told.Span(LATER, LATER + 10), 3, true));
    history.add(new Told.Body(span(LATER + 10), 3, false));
    assertFaults();
    history.add(new Told.Body(span(LATER + 20), 3, true));
    assertFaults("journal 3 has its body after it was erased");
  }

  @Test
  void noTextIsListedThatWasErased() throws Exception {
    history.add(new Told.Erased(span(LATER), 3));
    assertFaults("text 3 was erased and stands at 3");
  }

  @Test
  void whatMayBeErasedMayStandOrNot() throws Exception {
    relist(3, "");
    history.add(new Told.MayBeErased(span(LATER), 3));
    history.add(new Told.MayBeErased(span(LATER), 4));
    assertFaults();
  }

  @Test
  void nobodyReadsASecondAfterItsRevocation() throws Exception {
    history.add(new Told.Revoked(new Told.Span(4, 5), KID));
    history.add(new Told.ReadBy(new Told.Span(1_000_000_005L, 1_000_000_020L), KID));
    assertFaults();
    history.add(new Told.ReadBy(new Told.Span(1_000_000_006L, 1_000_000_007L), KID));
    assertFaults(KID.hex() + " reads a second after it was revoked");
  }

  @Test
  void nobodyIsTurnedAwayBeforeItsRevocation() throws Exception {
    Digest other = digest("other");
    history.add(new Told.Revoked(span(LATER), KID));
    history.add(new Told.MayBeRevoked(span(LATER), other));
    history.add(new Told.TurnedAway(new Told.Span(1, LATER), KID));
    history.add(new Told.TurnedAway(new Told.Span(1, LATER), other));
    assertFaults();
    history.add(new Told.TurnedAway(new Told.Span(1, LATER - 1), KID));
    history.add(new Told.TurnedAway(span(LATER), digest("a third")));
    assertFaults(
        KID.hex() + " is turned away before it was revoked",
        digest("a third").hex() + " is turned away before it was revoked");
  }

  @Test
  void noRequestStandsTwice() throws Exception {
    list("");
    ledger.log.set(
        10,
        new JudgedLedger.Listed(
            10, Bytes.utf8("leaf 10"), ledger.log.get(2).requestHash(), Optional.empty()));
    assertFaults("the request of journal 10 stands twice");
  }

  @Test
  void noTextStandsTwice() throws Exception {
    history.add(new Told.Unknown(span(LATER), List.of("twice")));
    list("twice");
    list("twice");
    assertFaults("twice stands twice, again as 11");
  }

  @Test
  void eachHeadIsOneOfTheLog() throws Exception {
    list("");
    history.add(new Told.Newest(span(LATER), new Told.Stated(11, Digest.ZERO)));
    assertFaults("the head of size 11 is none of this log");
  }

  @Test
  void noHeadIsBeyondTheLog() throws Exception {
    history.add(new Told.Newest(span(LATER), new Told.Stated(11, Digest.ZERO)));
    assertFaults("a head has size 11, the log ends before");
  }

  @Test
  void thereAreNotTwoHeadsOfASize() throws Exception {
    Told.Stated other = new Told.Stated(JOURNALS, Digest.ZERO);
    history.add(new Told.Newest(span(LATER), other));
    assertFaults("fork: two roots of size 10", "the head of size 10 is none of this log");
  }

  @Test
  void whatWasAcknowledgedStands() throws Exception {
    relist(3, "");
    history.add(new Told.Promised(span(LATER), List.of("promised"), 10));
    assertFaults("lost: text 3 was acknowledged as 3", "lost: promised was acknowledged as 10");
  }

  @Test
  void itStandsWhereItWasAcknowledged() throws Exception {
    list("promised");
    history.add(new Told.Promised(span(LATER), List.of("promised"), 11));
    assertFaults("promised was acknowledged as 11 and stands at 10");
  }

  @Test
  void itHasTheLeafOfItsReceipt() throws Exception {
    list(text(10));
    Told.Placed other = new Told.Placed(text(10), 10, Digest.ZERO);
    history.add(new Told.Receipted(span(LATER), List.of(other), head(11)));
    assertFaults("the log has another leaf than the receipt of 10");
  }

  @Test
  void whatWasRefusedStandsNowhere() throws Exception {
    list("refused");
    history.add(new Told.Refused(span(LATER), List.of("refused"), "expired"));
    assertFaults("refused was refused (expired) and stands", "nobody was told of refused");
  }

  @Test
  void whatStandsWasSent() throws Exception {
    list("sent");
    list("nobody's");
    history.add(new Told.Unknown(span(LATER), List.of("sent")));
    assertFaults("nobody was told of nobody's");
  }

  @Test
  void proposalsAreKept() throws Exception {
    ledger.proposals.add(digest("kept"));
    history.add(new Told.Proposed(span(LATER), digest("kept")));
    history.add(new Told.Proposed(span(LATER), digest("lost")));
    assertFaults("lost: proposal " + digest("lost").hex());
  }

  /// A member's smallest give way.
  @Test
  void theNewestAnchorsAreKept() throws Exception {
    IntStream.rangeClosed(1, 20)
        .mapToLong(size -> size)
        .forEach(size -> {
          ledger.anchors.add(size);
          history.add(new Told.Anchored(span(LATER), size));
        });
    ledger.anchors.removeIf(size -> size <= 8);
    assertFaults();
    ledger.anchors.remove(9L);
    ledger.anchors.remove(15L);
    assertFaults("lost: the anchor of size 9", "lost: the anchor of size 15");
  }

  @Test
  void whatAClientHoldsAgainstTheServiceCounts() throws Exception {
    ledger.alarm = Optional.of("ROLLBACK");
    assertFaults("ROLLBACK");
  }
}
