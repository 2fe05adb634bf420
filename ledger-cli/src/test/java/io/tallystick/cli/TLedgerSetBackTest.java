package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.StartFailedException;
import io.tallystick.proxy.SubmitProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.proxy.TimeProperties;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Waiting;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a T-Ledger that stood still loses no tail, and one that was set back under a submitter is
/// found out, whether it is smaller or has outgrown what it gave before. Method: real services, the
/// T-Ledger's stopped, started again, and started on an older copy of its directory.
class TLedgerSetBackTest {
  private static final int STARTS_MAX = 100;
  private static final long STARTS_PAUSE_MILLIS = 200;
  private static final Duration STILL = Duration.ofMillis(1_500);

  @TempDir private Path folder = Path.of("");

  private final ClientKey owner = ClientKey.generate();
  private int port;
  private String id = "";

  @BeforeEach
  void found() throws Exception {
    Files.writeString(folder.resolve("submitters"), "anybody 10\n");
    try (RunningService keeper = keeper()) {
      String target = keeper.target();
      port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
      id =
          new Cli(target, folder.resolve("t-trust").toString())
              .call("ledger", "list", "--json")
              .json()
              .at("/ledgers/0/ledgerId")
              .stringValue();
    }
  }

  /// The port is the same each time; another process may connect from it for a moment.
  private RunningService keeper() throws Exception {
    for (int i = 0; ; i++) {
      try {
        return startKeeper();
      } catch (StartFailedException e) {
        if (i == STARTS_MAX || !String.valueOf(e.getMessage()).contains("in use")) {
          throw e;
        }
        Thread.sleep(STARTS_PAUSE_MILLIS);
      }
    }
  }

  private RunningService startKeeper() throws Exception {
    return TallystickService.start(
        LocalNode::open,
        ServiceProperties.of(folder.resolve("t"), port)
            .withTime(
                TimeProperties.OFF.withTLedger(true, folder.resolve("submitters").toString())));
  }

  private RunningService submitter(String data) throws Exception {
    SubmitProperties submit =
        new SubmitProperties("127.0.0.1:" + port, id, List.of("all"), Duration.ofMillis(1), null);
    return TallystickService.start(
        LocalNode::open,
        ServiceProperties.of(folder.resolve(data), 0)
            .withTime(TimeProperties.OFF.withSubmit(submit)));
  }

  private TallyClient client(RunningService service) throws Exception {
    return TallyClient.connect(
        ClientConfig.of(service.target(), folder.resolve("trust")).withReader(owner));
  }

  /// The size that the newest time journal covers.
  private static long covered(LedgerHandle ledger) throws Exception {
    for (long jsn = ledger.checkpoint().size().value() - 1; jsn > 1; jsn--) {
      if (Leaf.decode(ledger.receipt(new Jsn(jsn)).leaf()) instanceof JournalLeaf journal
          && RequestHeader.decode(journal.header()).extension() instanceof Extension.Time time) {
        return time.size().value();
      }
    }
    return 0;
  }

  /// Appends one journal and waits until a time journal covers it.
  private static void anchored(LedgerHandle ledger, int number) throws Exception {
    long jsn = append(ledger, number);
    Waiting.until("journal " + jsn + " is covered", () -> covered(ledger) > jsn);
  }

  private static long append(LedgerHandle ledger, int number) throws Exception {
    return ledger
        .append(JournalDraft.of(Bytes.utf8("journal " + number), "text/plain"))
        .jsn()
        .value();
  }

  @Tag("long")
  @Test
  void aTLedgerThatStoodStillTakesTheTail() throws Exception {
    try (RunningService service = submitter("s");
        TallyClient client = client(service)) {
      LedgerHandle ledger = client.createLedger("tail", List.of(owner), LedgerOptions.DEFAULT);
      try (RunningService _ = keeper()) {
        anchored(ledger, 1);
      }
      long jsn = append(ledger, 2);
      Thread.sleep(STILL);
      try (RunningService _ = keeper()) {
        Waiting.until("the tail is covered", () -> covered(ledger) > jsn);
      }
    }
  }

  private void copy(String from, String to) throws Exception {
    Path source = folder.resolve(from);
    Path target = folder.resolve(to);
    if (Files.exists(target)) {
      try (Stream<Path> all = Files.walk(target)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
    try (Stream<Path> all = Files.walk(source)) {
      for (Path each : all.toList()) {
        Files.copy(each, target.resolve(source.relativize(each)));
      }
    }
  }

  private static String health(RunningService service) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(service.httpTarget() + "/actuator/health")).build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  /// Another ledger makes the copy larger than what was seen.
  private void outgrow() throws Exception {
    try (RunningService service = submitter("other");
        TallyClient client =
            TallyClient.connect(
                ClientConfig.of(service.target(), folder.resolve("o-trust")).withReader(owner))) {
      LedgerHandle other = client.createLedger("other", List.of(owner), LedgerOptions.DEFAULT);
      for (int i = 0; i < 5; i++) {
        anchored(other, i);
      }
    }
  }

  /// Two states of the T-Ledger, of which the older one is put back.
  private void setBack(LedgerHandle ledger) throws Exception {
    try (RunningService _ = keeper()) {
      anchored(ledger, 1);
    }
    copy("t", "before");
    try (RunningService _ = keeper()) {
      anchored(ledger, 2);
      anchored(ledger, 3);
    }
    copy("before", "t");
  }

  private void foundOut(LedgerHandle ledger, RunningService service) throws Exception {
    Path evidence = folder.resolve("s/submit").resolve(id + ".evidence");
    long before = covered(ledger);
    append(ledger, 4);
    Waiting.until("the T-Ledger is found out", () -> Files.exists(evidence));
    assertThat(covered(ledger)).as("nothing of it is journalled").isEqualTo(before);
    assertThat(health(service)).contains("the T-Ledger contradicts itself");
  }

  @Test
  void aTLedgerThatIsSetBackUnderARunningSubmitterIsFoundOut() throws Exception {
    try (RunningService service = submitter("s");
        TallyClient client = client(service)) {
      LedgerHandle ledger = client.createLedger("mine", List.of(owner), LedgerOptions.DEFAULT);
      setBack(ledger);
      try (RunningService _ = keeper()) {
        foundOut(ledger, service);
      }
    }
    try (RunningService _ = keeper();
        RunningService service = submitter("s")) {
      assertThat(health(service)).contains("the T-Ledger contradicts itself");
    }
  }

  /// What was seen stands in the submitter's own log.
  @Tag("long")
  @Test
  void aTLedgerThatHasOutgrownItsPastIsFoundOutAfterARestart() throws Exception {
    LedgerId mine;
    try (RunningService service = submitter("s");
        TallyClient client = client(service)) {
      LedgerHandle ledger = client.createLedger("mine", List.of(owner), LedgerOptions.DEFAULT);
      mine = ledger.id();
      setBack(ledger);
    }
    try (RunningService _ = keeper()) {
      outgrow();
      try (RunningService service = submitter("s");
          TallyClient client = client(service)) {
        foundOut(client.open(mine, owner), service);
      }
    }
  }
}
