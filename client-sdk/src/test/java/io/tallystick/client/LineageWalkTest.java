package io.tallystick.client;

import static io.tallystick.client.ServiceFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.api.v1.Lineage;
import io.tallystick.client.failure.LineageTooLongException;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.lineage.LineageLimits;
import io.tallystick.client.lineage.LineageRange;
import io.tallystick.client.lineage.LineageReader;
import io.tallystick.client.lineage.LineageWalk;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Commitments;
import io.tallystick.lineage.ClueState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.lineage.LineageFile;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a clue's journals come page by page in both directions, from any jsn, and a service that
/// leaves one out is refused wherever it does. Method: seven journals of a fake service's clue,
/// among others; pages of three.
class LineageWalkTest {
  private static final String CLUE = "invoice 7";
  private static final LineageRange FORWARDS = LineageRange.forwards().withPagesOf(3);
  private static final LineageRange BACKWARDS = LineageRange.backwards().withPagesOf(3);

  @TempDir Path trust;
  private ServiceFixture fixture;
  private LedgerHandle ledger;
  private final List<Long> jsns = new ArrayList<>();

  @BeforeEach
  void found() throws TallyException {
    fixture = new ServiceFixture(trust);
    ledger = fixture.ledger;
    for (int i = 0; i < 7; i++) {
      jsns.add(append(CLUE));
      append("another");
    }
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private long append(String clue) throws TallyException {
    return ledger.append(JournalDraft.text("j").withClues(List.of(clue))).jsn().value();
  }

  private static List<Long> rest(LineageWalk walk) throws TallyException {
    List<Long> all = new ArrayList<>();
    for (List<LineageEntry> page = walk.next(); !page.isEmpty(); page = walk.next()) {
      assertThat(page).hasSizeLessThanOrEqualTo(3);
      page.forEach(entry -> all.add(entry.jsn()));
    }
    assertThat(walk.next()).isEmpty();
    return all;
  }

  @Test
  void givesAllJournalsInEitherDirection() throws TallyException {
    assertThat(rest(ledger.walkLineage(CLUE, FORWARDS))).isEqualTo(jsns);
    assertThat(rest(ledger.walkLineage(CLUE, BACKWARDS))).isEqualTo(jsns.reversed());
  }

  @Test
  void beginsAtAnyJsn() throws TallyException {
    for (long from = 0; from <= jsns.getLast() + 2; from++) {
      long bound = from;
      assertThat(rest(ledger.walkLineage(CLUE, FORWARDS.from(new Jsn(from)))))
          .isEqualTo(jsns.stream().filter(jsn -> jsn >= bound).toList());
      assertThat(rest(ledger.walkLineage(CLUE, BACKWARDS.from(new Jsn(from)))))
          .isEqualTo(jsns.stream().filter(jsn -> jsn <= bound).toList().reversed());
    }
  }

  @Test
  void staysUnderTheHeadItBeganWith() throws TallyException {
    LineageWalk walk = ledger.walkLineage(CLUE, FORWARDS);
    walk.next();
    append(CLUE);

    assertThat(rest(walk)).isEqualTo(jsns.subList(3, 7));
    assertThat(walk.state().count()).isEqualTo(7);
    assertThat(walk.head().size()).isNotEqualTo(ledger.trustedHead().orElseThrow().size());
  }

  @Test
  void anUnusedClueHasNoPage() throws TallyException {
    LineageWalk walk = ledger.walkLineage("unknown", FORWARDS);
    assertThat(walk.next()).isEmpty();
    assertThat(walk.state()).isInstanceOf(ClueState.NeverUsed.class);
    assertThat(ledger.walkLineage("unknown", BACKWARDS.from(new Jsn(5))).next()).isEmpty();
  }

  @Test
  void aDeletedClueIsRefusedOnceItIsProvenDeleted() throws TallyException {
    long deleted = ledger.deleteClue(CLUE).jsn().value();
    assertThatThrownBy(() -> ledger.walkLineage(CLUE, FORWARDS))
        .isInstanceOfSatisfying(
            RequestRefusedException.class, refused -> assertThat(refused.jsn()).hasValue(deleted));
  }

  @Test
  void refusesABeginningThatLeavesJournalsOut() {
    assertRefused(FORWARDS, page(1, 3));
    assertRefused(BACKWARDS, page(3, 3));
    assertRefused(FORWARDS.from(new Jsn(jsns.get(2))), page(3, 3));
    assertRefused(BACKWARDS.from(new Jsn(jsns.get(4))), page(1, 3));
  }

  @Test
  void refusesABeginningBeforeTheOneAskedFor() {
    assertRefused(FORWARDS.from(new Jsn(jsns.get(2))), page(1, 3));
    assertRefused(BACKWARDS.from(new Jsn(jsns.get(4))), page(3, 3));
  }

  @Test
  void refusesThatThereIsNothingWhereThereIs() {
    Lineage nothing = page(0, 0);
    assertRefused(FORWARDS, nothing);
    assertRefused(BACKWARDS, nothing);
    assertRefused(FORWARDS.from(new Jsn(jsns.getLast())), nothing);
    assertRefused(BACKWARDS.from(new Jsn(jsns.getFirst())), nothing);
  }

  /// Instead of the neighbour, another journal of the clue that is out of the range.
  @Test
  void refusesAnotherJournalAsTheNeighbour() {
    fixture.service.clues.lineageTampering =
        (request, answer) -> request.hasIndex() ? page(0, 1) : page(3, 3);
    assertMissing(FORWARDS.from(new Jsn(jsns.get(2))));
    fixture.service.clues.lineageTampering =
        (request, answer) -> request.hasIndex() ? page(6, 1) : page(1, 3);
    assertMissing(BACKWARDS.from(new Jsn(jsns.get(4))));
  }

  @Test
  void refusesALaterPageThatLeavesAJournalOut() throws TallyException {
    for (LineageRange range : List.of(FORWARDS, BACKWARDS)) {
      fixture.service.clues.lineageTampering = (unused, answer) -> answer;
      LineageWalk walk = ledger.walkLineage(CLUE, range);
      walk.next();
      fixture.service.clues.lineageTampering =
          (unused, ignored) -> range.descending() ? page(0, 3) : page(4, 3);
      assertThat(refusal(walk::next).reason()).isEqualTo(Reason.MISSING);
      fixture.service.clues.lineageTampering = (unused, ignored) -> page(0, 0);
      assertThat(refusal(walk::next).reason()).isEqualTo(Reason.MISSING);
    }
  }

  @Test
  void refusesALaterPageUnderAnotherHead() throws TallyException {
    LineageWalk walk = ledger.walkLineage(CLUE, FORWARDS);
    walk.next();
    append(CLUE);
    fixture.service.clues.lineageTampering = (unused, ignored) -> page(3, 3);
    assertThat(refusal(walk::next).reason()).isEqualTo(Reason.WRONG_JSN);
  }

  @Test
  void aLineageBeyondWhatIsTakenAtOnceIsRefusedWithItsCount() throws TallyException {
    LineageLimits six = new LineageLimits(6, 1 << 20, 3);
    assertThatThrownBy(() -> reader().lineage(CLUE, Optional.empty(), six))
        .isInstanceOf(LineageTooLongException.class)
        .hasMessageContaining("7 journals");
    LineageLimits fewBytes = new LineageLimits(100, 600, 3);
    assertThatThrownBy(() -> reader().lineage(CLUE, Optional.empty(), fewBytes))
        .isInstanceOf(LineageTooLongException.class)
        .hasMessageContaining("600 bytes");
    LineageLimits seven = new LineageLimits(7, 1 << 20, 3);
    assertThat(reader().lineage(CLUE, Optional.empty(), seven).entries()).hasSize(7);
  }

  /// As many pages as the service likes are one file.
  @Test
  void aLineageInPagesIsOneFile() throws Exception {
    fixture.service.clues.journalsMax = 2;
    LineageFile file = ledger.lineageFile(CLUE);
    LineageFile.Verified shown =
        LineageFile.decode(file.encode())
            .verify(ledger.trust().strand(), ledger.trust().keys(), SignatureProviders.best());
    assertThat(shown.lineage().orElseThrow().isComplete()).isTrue();
    assertThat(shown.lineage().orElseThrow().entries().stream().map(LineageEntry::jsn))
        .containsExactlyElementsOf(jsns);
  }

  /// The service has no journal of the clue below the third any more.
  private void purgeBelowTheThird() {
    long firstKept = jsns.get(2);
    fixture.service.clues.lineageTampering =
        (request, answer) -> {
          if (request.hasIndex() ? request.getIndex() < 2 : request.getJsn() < firstKept) {
            throw FakeService.problem(
                FakeService.problem("purged", false).toBuilder().setLimit(firstKept).build());
          }
          return answer;
        };
  }

  @Test
  void beginsWithWhatAPurgeLeft() throws Exception {
    purgeBelowTheThird();
    fixture.service.clues.journalsMax = 2;
    LineageRange kept = FORWARDS.from(new Jsn(jsns.get(2)));
    LineageWalk walk = ledger.walkLineage(CLUE, kept);
    assertThat(walk.firstIndex()).isEqualTo(2);
    assertThat(rest(walk)).isEqualTo(jsns.subList(2, 7));
    LineageFile file = ledger.lineageFile(CLUE, new Jsn(jsns.get(2)));
    LineageFile.Verified shown =
        LineageFile.decode(file.encode())
            .verify(ledger.trust().strand(), ledger.trust().keys(), SignatureProviders.best());
    assertThat(shown.lineage().orElseThrow().first()).isEqualTo(2);
    assertThat(shown.lineage().orElseThrow().entries().stream().map(LineageEntry::jsn))
        .containsExactlyElementsOf(jsns.subList(2, 7));
    assertThatThrownBy(() -> ledger.walkLineage(CLUE, FORWARDS.from(new Jsn(jsns.get(1)))))
        .isInstanceOf(RequestRefusedException.class)
        .hasMessageContaining("purged");
  }

  private LineageReader reader() throws TallyException {
    return ledger.open().lineage();
  }

  private Lineage page(int first, int count) {
    FakeLedger remote = fixture.remote();
    Digest clueId = Commitments.clueId(ledger.id(), CLUE);
    return FakeClues.page(remote, clueId, first, count, remote.size());
  }

  private void assertRefused(LineageRange range, Lineage first) {
    fixture.service.clues.lineageTampering =
        (request, answer) -> request.hasIndex() ? answer : first;
    assertMissing(range);
  }

  private void assertMissing(LineageRange range) {
    VerificationException refused = refusal(() -> ledger.walkLineage(CLUE, range));
    assertThat(refused).as(range.toString()).isNotNull();
    assertThat(refused.reason()).isEqualTo(Reason.MISSING);
  }
}
