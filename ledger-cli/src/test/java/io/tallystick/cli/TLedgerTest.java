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
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.SubmitProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.proxy.TimeProperties;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: heads go to a T-Ledger of another service and come back as time journals, also after both
/// were started again. Method: two real services, one of which keeps the T-Ledger.
class TLedgerTest {
  @TempDir private Path folder = Path.of("");

  private RunningService keeper() throws Exception {
    return TallystickService.start(
        LocalNode::open,
        ServiceProperties.of(folder.resolve("t"), 0)
            .withTime(TimeProperties.OFF.withTLedger(true)));
  }

  private RunningService submitter(RunningService keeper, String tLedger) throws Exception {
    SubmitProperties submit =
        new SubmitProperties(keeper.target(), tLedger, List.of("all"), Duration.ofMillis(1));
    return TallystickService.start(
        LocalNode::open,
        ServiceProperties.of(folder.resolve("s"), 0)
            .withTime(TimeProperties.OFF.withSubmit(submit)));
  }

  private String tLedger(RunningService keeper) throws Exception {
    Cli cli = new Cli(keeper.target(), folder.resolve("t-trust").toString());
    return cli.call("ledger", "list", "--json")
        .json()
        .get("ledgers")
        .get(0)
        .get("ledgerId")
        .stringValue();
  }

  /// Appends until so many time journals stand in the log.
  private static List<Extension.Time> times(LedgerHandle ledger, int wanted) throws Exception {
    List<Extension.Time> times = new ArrayList<>();
    for (int i = 0; i < 100 && times.size() < wanted; i++) {
      ledger.append(JournalDraft.of(Bytes.utf8("journal " + i), "text/plain"));
      Thread.sleep(200);
      times.clear();
      long size = ledger.checkpoint().size().value();
      for (long jsn = 2; jsn < size; jsn++) {
        if (Leaf.decode(ledger.receipt(new Jsn(jsn)).leaf()) instanceof JournalLeaf journal) {
          RequestHeader header = RequestHeader.decode(journal.header());
          if (header.kind() == Kind.TIME && header.extension() instanceof Extension.Time time) {
            times.add(time);
          }
        }
      }
    }
    return times;
  }

  @Test
  void headsComeBackAsTimeJournals() throws Exception {
    String id;
    ClientKey owner = ClientKey.generate();
    try (RunningService keeper = keeper()) {
      id = tLedger(keeper);
      try (RunningService service = submitter(keeper, id);
          TallyClient client =
              TallyClient.connect(
                  ClientConfig.of(service.target(), folder.resolve("trust")).withReader(owner))) {
        LedgerHandle ledger =
            client.createLedger("submitting", List.of(owner), LedgerOptions.DEFAULT);
        List<Extension.Time> times = times(ledger, 2);
        assertThat(times).hasSizeGreaterThanOrEqualTo(2);
        assertThat(times.getFirst().previous()).isEmpty();
        assertThat(times.get(1).previous()).isPresent();
        assertThat(times)
            .allSatisfy(time ->
                assertThat(time.proof())
                    .isInstanceOfSatisfying(
                        TimeProof.TLedger.class,
                        proof -> assertThat(proof.ledger()).hasToString(id)));
      }
    }
    try (RunningService keeper = keeper()) {
      assertThat(tLedger(keeper)).as("it is founded once").isEqualTo(id);
      Cli cli = new Cli(keeper.target(), folder.resolve("t-trust").toString());
      cli.call("audit", id).hasStatus(0);
    }
  }
}
