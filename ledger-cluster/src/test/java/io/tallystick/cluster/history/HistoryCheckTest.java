package io.tallystick.cluster.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.client.Promise;
import io.tallystick.client.failure.TallyException;
import io.tallystick.model.Digest;
import io.tallystick.node.KeptAnchors;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: the judge of histories finds nothing wrong with an honest service under concurrent
/// clients, and each of the faults that a liar before it plants. Method: a real service in this
/// process.
class HistoryCheckTest extends LedgerOfService {
  private static final int ACKNOWLEDGED = 150;

  @Test
  void findsNothingWhereNothingIsWrong() throws Exception {
    History history = new History();
    SplittableRandom random = new SplittableRandom(1);
    List<HistoryClient> clients = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      clients.add(
          new HistoryClient(name(), new SdkDoor(ledger), history, random.split(), i == 0, 0));
    }
    long end = System.nanoTime() + 60_000_000_000L;
    while (history.acknowledged() < ACKNOWLEDGED && System.nanoTime() < end) {
      Thread.sleep(10);
    }
    clients.forEach(HistoryClient::close);
    assertThat(history.acknowledged()).isGreaterThanOrEqualTo(ACKNOWLEDGED);
    assertThat(history.all()).hasAtLeastOneElementOfType(Told.Joined.class);
    assertThat(HistoryCheck.faults(history, new SdkDoor(ledger))).isEmpty();
  }

  /// A client's calls, one after another.
  private void calls(LedgerDoor door, History history) {
    String name = name();
    for (int i = 0; i < 3; i++) {
      String text = name + " " + i;
      history.append(
          List.of(text),
          () -> {
            LedgerDoor.Evidence evidence = door.append(List.of(text));
            return span -> new Told.Receipted(span, evidence.journals(), evidence.head());
          });
    }
    history.read(
        0,
        () -> {
          Told.Stated head = door.newest();
          return span -> new Told.Newest(span, head);
        });
    history.read(
        0,
        () -> {
          Digest hash = door.propose();
          return span -> new Told.Proposed(span, hash);
        });
    history.read(
        0,
        () -> {
          long size = door.anchor();
          return span -> new Told.Anchored(span, size);
        });
    history.append(
        List.of(name + " promised"),
        () -> {
          Promise promise = door.promise(List.of(name + " promised"));
          return span ->
              new Told.Promised(span, List.of(name + " promised"), promise.firstJsn().value());
        });
  }

  private List<String> judged(Liar liar) throws TallyException {
    History history = new History();
    calls(liar, history);
    return HistoryCheck.faults(history, liar);
  }

  @Test
  void findsNothingInOneClientsCalls() throws Exception {
    assertThat(judged(new Liar(new SdkDoor(ledger)))).isEmpty();
  }

  @Test
  void findsAStaleHead() throws Exception {
    Told.Stated old = new SdkDoor(ledger).newest();
    Liar liar =
        new Liar(new SdkDoor(ledger)) {
          @Override
          public Told.Stated newest() {
            return old;
          }
        };
    assertThat(judged(liar)).hasSize(1).first().asString().startsWith("the newest head has size ");
  }

  @Test
  void findsALostAppend() throws Exception {
    Liar liar =
        new Liar(new SdkDoor(ledger)) {
          @Override
          public List<Listed> log() throws TallyException {
            List<Listed> log = new ArrayList<>(super.log());
            Listed last = log.stream().filter(each -> each.text().isPresent()).toList().getLast();
            log.set(
                (int) last.jsn(),
                new Listed(last.jsn(), last.leaf(), Optional.empty(), Optional.empty()));
            return log;
          }
        };
    assertThat(judged(liar)).hasSize(1).first().asString().startsWith("lost: client-");
  }

  @Test
  void findsADoubledAppend() throws Exception {
    Liar liar =
        new Liar(new SdkDoor(ledger)) {
          @Override
          public List<Listed> log() throws TallyException {
            List<Listed> log = new ArrayList<>(super.log());
            Listed last = log.stream().filter(each -> each.text().isPresent()).toList().getLast();
            log.add(new Listed(log.size(), last.leaf(), last.requestHash(), last.text()));
            return log;
          }
        };
    assertThat(judged(liar))
        .anyMatch(fault -> fault.matches("the request of journal \\d+ stands twice"))
        .anyMatch(fault -> fault.matches("client-\\d+ promised stands twice, again as \\d+"));
  }

  @Test
  void findsAJournalThatNobodySentAndOneThatWasRefused() throws Exception {
    SdkDoor door = new SdkDoor(ledger);
    door.append(List.of("nobody's"));
    door.append(List.of("refused"));
    History history = new History();
    history.add(new Told.Refused(new Told.Span(0, 1), List.of("refused"), "quota"));
    assertThat(HistoryCheck.faults(history, door))
        .containsExactlyInAnyOrder(
            "nobody was told of nobody's",
            "nobody was told of refused",
            "refused was refused (quota) and stands");
  }

  @Test
  void findsALostProposalAndALostAnchor() throws Exception {
    Liar liar =
        new Liar(new SdkDoor(ledger)) {
          @Override
          public Set<Digest> proposals() throws TallyException {
            Set<Digest> kept = new HashSet<>(super.proposals());
            kept.remove(proposed);
            return kept;
          }

          @Override
          public long anchored(long size) {
            return 1;
          }
        };
    assertThat(judged(liar))
        .hasSize(2)
        .anyMatch(fault -> fault.startsWith("lost: proposal "))
        .anyMatch(fault -> fault.startsWith("lost: the anchor of size "));
  }

  @Test
  void findsAnotherLogBehindAHead() throws Exception {
    Liar liar =
        new Liar(new SdkDoor(ledger)) {
          @Override
          public Told.Stated newest() throws TallyException {
            return new Told.Stated(super.newest().size(), Digest.ZERO);
          }
        };
    assertThat(judged(liar)).anyMatch(fault -> fault.matches("(fork: two roots|the head) of .*"));
  }

  @Test
  void findsALostAnchorBelowTheNewest() throws Exception {
    History history = new History();
    List<Long> sizes = new ArrayList<>();
    Liar liar =
        new Liar(new SdkDoor(ledger)) {
          @Override
          public long anchor() throws TallyException {
            long size = super.anchor();
            sizes.add(size);
            return size;
          }

          @Override
          public long anchored(long size) throws TallyException {
            return size == sizes.get(sizes.size() - 2) ? sizes.getFirst() : super.anchored(size);
          }
        };
    for (int i = 0; i <= KeptAnchors.PER_MEMBER_MAX; i++) {
      calls(liar, history);
    }
    assertThat(HistoryCheck.faults(history, liar))
        .containsExactly("lost: the anchor of size " + sizes.get(sizes.size() - 2));
  }

  /// As a taker would have it that replays no removal.
  @Test
  void findsAnErasedTextInTheLog() throws Exception {
    String text = name() + " erased";
    History history = new History();
    Liar liar =
        new Liar(new SdkDoor(ledger)) {
          @Override
          public List<Listed> log() throws TallyException {
            return super.log().stream()
                .map(each -> isErased(each) ? restored(each) : each)
                .toList();
          }

          private boolean isErased(Listed each) {
            return each.requestHash().isPresent() && each.text().isEmpty() && each.jsn() == jsn;
          }

          private Listed restored(Listed each) {
            return new Listed(each.jsn(), each.leaf(), each.requestHash(), Optional.of(text));
          }
        };
    history.append(
        List.of(text),
        () -> {
          LedgerDoor.Evidence evidence = liar.append(List.of(text));
          liar.jsn = evidence.journals().getFirst().jsn();
          return span -> new Told.Receipted(span, evidence.journals(), evidence.head());
        });
    history.change(
        () -> {
          liar.erase(liar.jsn);
          return span -> new Told.Erased(span, liar.jsn);
        },
        span -> new Told.MayBeErased(span, liar.jsn));
    assertThat(HistoryCheck.faults(history, new SdkDoor(ledger))).isEmpty();
    assertThat(HistoryCheck.faults(history, liar))
        .containsExactly(text + " was erased and stands at " + liar.jsn);
  }

  /// What needs times that no call can be made to have.
  @Test
  void findsWhatIsOutOfTime() throws Exception {
    SdkDoor door = new SdkDoor(ledger);
    LedgerDoor.Evidence evidence = door.append(List.of(name() + " erased"));
    LedgerDoor.Evidence later = door.append(List.of(name() + " later"));
    long jsn = evidence.journals().getFirst().jsn();
    History history = new History();
    history.add(new Told.Receipted(new Told.Span(0, 1), later.journals(), later.head()));
    history.add(new Told.Receipted(new Told.Span(2, 3), evidence.journals(), evidence.head()));
    history.add(new Told.FutureSize(new Told.Span(4, 5), later.head().size()));
    history.add(new Told.Erased(new Told.Span(4, 5), jsn));
    history.add(new Told.Body(new Told.Span(6, 7), jsn, true));
    history.add(new Told.Revoked(new Told.Span(4, 5), Digest.ZERO));
    history.add(new Told.ReadBy(new Told.Span(1_000_000_006L, 1_000_000_007L), Digest.ZERO));
    history.add(new Told.ReadBy(new Told.Span(900_000_000L, 1_000_000_009L), Digest.ZERO));
    history.fault("a client waits for an answer");
    assertThat(HistoryCheck.faults(history, door))
        .containsExactly(
            "a call ended with: a client waits for an answer",
            "journal "
                + jsn
                + " was sent after "
                + later.journals().getFirst().jsn()
                + " was acknowledged",
            "size "
                + later.head().size()
                + " is said to be in the future after "
                + later.head().size()
                + " was shown",
            "journal " + jsn + " has its body after it was erased",
            Digest.ZERO.hex() + " reads a second after it was revoked",
            evidence.journals().getFirst().text() + " was erased and stands at " + jsn);
  }
}
