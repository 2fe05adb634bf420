package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.api.v1.AppendResponse;
import io.tallystick.audit.FaultKind;
import io.tallystick.testkit.Submission;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: a byte that changed in a service's store is told with code, detail and journal, by the
/// audit as evidence against the log. Method: a running service, behind more journals than an audit
/// reads at once; one byte of a later journal's header is flipped in the segment.
class DamagedStoreTest {
  private static final int BATCH = 2_500;

  @TempDir private Path home;
  private LiveService live;
  private Cli cli;
  private String ledger;
  private long damaged;

  @BeforeEach
  void damage() throws Exception {
    Path data = home.resolve("data");
    live = new LiveService(data);
    cli = new Cli(live.service.target(), home.resolve("trust").toString());
    ledger = live.id().hex();
    live.append(live.now().batch(1, BATCH));
    Submission last = live.now().single(BATCH + 1);
    AppendResponse answer = live.append(last);
    damaged = answer.getReceipted().getFirstJsn();
    flip(data.resolve("stream"), last.requests().getFirst().header().toArray());
  }

  @AfterEach
  void stop() {
    live.close();
  }

  @Test
  void isTheFaultOfTheJournalInAnAudit() {
    Cli.Result audit = cli.call("audit", ledger).hasStatus(ExitCode.EVIDENCE);
    assertThat(audit.out())
        .contains("AUDIT FAILED at jsn " + damaged + ": " + FaultKind.LOG_DAMAGED.plainWords())
        .contains("LOG_DAMAGED: damaged: journal " + damaged + " is damaged: ");
    JsonNode json =
        cli.call("audit", ledger, "--json").hasStatus(ExitCode.EVIDENCE).parsed().get("audit");
    assertThat(json.get("firstFaultyJsn").longValue()).isEqualTo(damaged);
    assertThat(json.get("faults").get(0).get("kind").stringValue()).isEqualTo("LOG_DAMAGED");
  }

  @Test
  void isEvidenceAgainstALogThatCannotBeSaved() {
    Path copy = home.resolve("log.copy");
    Cli.Result audit = cli.call("audit", ledger, "--save", copy).hasStatus(ExitCode.EVIDENCE);
    assertThat(audit.err())
        .startsWith("tally: EVIDENCE DOES NOT VERIFY: damaged: journal " + damaged)
        .hasLineCount(1);
    assertThat(copy).doesNotExist();
  }

  @Test
  void isRefusedWithItsCodeWhenTheJournalIsRead() {
    assertThat(cli.call("get", ledger, damaged).hasStatus(ExitCode.REFUSED).err())
        .startsWith("tally: refused (damaged): journal " + damaged + " is damaged: ")
        .hasLineCount(1);
    cli.call("get", ledger, damaged - 2).hasStatus(0);
  }

  private static void flip(Path stream, byte[] stored) throws IOException {
    List<Path> segments;
    try (Stream<Path> files = Files.walk(stream)) {
      segments = files.filter(Files::isRegularFile).toList();
    }
    for (Path segment : segments) {
      int at = indexOf(Files.readAllBytes(segment), stored);
      if (at >= 0) {
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
          file.seek(at + stored.length / 2);
          int before = file.read();
          file.seek(at + stored.length / 2);
          file.write(before ^ 1);
        }
        return;
      }
    }
    throw new AssertionError("the header is in no segment");
  }

  private static int indexOf(byte[] content, byte[] wanted) {
    for (int at = 0; at + wanted.length <= content.length; at++) {
      int matched = 0;
      while (matched < wanted.length && content[at + matched] == wanted[matched]) {
        matched++;
      }
      if (matched == wanted.length) {
        return at;
      }
    }
    return -1;
  }
}
