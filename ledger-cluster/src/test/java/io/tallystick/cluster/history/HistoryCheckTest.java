package io.tallystick.cluster.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.Promise;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.member.FirstMember;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the judge of histories finds nothing wrong with an honest service under concurrent
/// clients, and each of the faults that a liar before it plants. Method: a real service in this
/// process.
class HistoryCheckTest {
  private static final int ACKNOWLEDGED = 150;

  @TempDir private static Path home;
  private static RunningService service;
  private static final ClientKey OWNER = ClientKey.generate();
  private static TallyClient client;
  private LedgerHandle ledger;
  private int names;

  @BeforeAll
  static void start() throws Exception {
    service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
    client =
        TallyClient.connect(
            ClientConfig.of(service.target(), home.resolve("trust")).withReader(OWNER));
  }

  @BeforeEach
  void found() throws TallyException {
    ClientKey regulator = ClientKey.generate();
    LedgerId id =
        client
            .createLedger(
                "history",
                List.of(OWNER, ClientKey.generate()),
                LedgerOptions.DEFAULT.withMember(
                    FirstMember.of(Role.REGULATOR, regulator.publicKey())))
            .id();
    ledger = client.open(id, OWNER, regulator);
  }

  @AfterAll
  static void stop() {
    client.close();
    service.close();
  }

  private String name() {
    return "client-" + names++;
  }

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
            Digest.ZERO.hex() + " reads a second after it was revoked");
  }

  /// Hands everything on.
  private static class Liar implements LedgerDoor {
    private final LedgerDoor honest;
    Digest proposed = Digest.ZERO;

    Liar(LedgerDoor honest) {
      this.honest = honest;
    }

    @Override
    public Evidence append(List<String> texts) throws TallyException {
      return honest.append(texts);
    }

    @Override
    public Promise promise(List<String> texts) throws TallyException {
      return honest.promise(texts);
    }

    @Override
    public void keepPromises() throws TallyException {
      honest.keepPromises();
    }

    @Override
    public Told.Stated newest() throws TallyException {
      return honest.newest();
    }

    @Override
    public void join(Told.Stated older, Told.Stated newer) throws TallyException {
      honest.join(older, newer);
    }

    @Override
    public boolean body(long jsn) throws TallyException {
      return honest.body(jsn);
    }

    @Override
    public Digest propose() throws TallyException {
      proposed = honest.propose();
      return proposed;
    }

    @Override
    public Set<Digest> proposals() throws TallyException {
      return honest.proposals();
    }

    @Override
    public long anchor() throws TallyException {
      return honest.anchor();
    }

    @Override
    public long anchored(long size) throws TallyException {
      return honest.anchored(size);
    }

    @Override
    public void erase(long jsn) throws TallyException {
      honest.erase(jsn);
    }

    @Override
    public List<Listed> log() throws TallyException {
      return honest.log();
    }

    @Override
    public Optional<String> alarm() {
      return honest.alarm();
    }
  }
}
