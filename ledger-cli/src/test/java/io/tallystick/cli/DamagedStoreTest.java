package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.api.v1.AppendResponse;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.journal.RequestDraft;
import io.tallystick.model.Bytes;
import io.tallystick.server.frame.PayloadItem;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/// Goal: a byte that changed in a service's store is told with code, detail and journal, by the
/// audit as evidence against the log. Method: a running service, behind more journals than an audit
/// reads at once; one byte of a later journal's header is flipped in the segment, or of another
/// part.
class DamagedStoreTest {
  private static final int BATCH = 2_500;

  @TempDir private Path home;
  private LiveService live;
  private Cli cli;
  private String ledger;
  private long damaged;
  private Submission last;

  @BeforeEach
  void damage() throws Exception {
    Path data = home.resolve("data");
    live = new LiveService(data);
    cli = new Cli(live.service.target(), home.resolve("trust").toString());
    ledger = live.id().hex();
    live.append(live.now().batch(1, BATCH));
    last = live.now().single(BATCH + 1);
    AppendResponse answer = live.append(last);
    damaged = answer.getReceipted().getFirstJsn();
    flip(last.requests().getFirst().header());
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

  /// Not one line per read: whoever asks again and again fills no log.
  @Test
  void isToldToTheOperatorOnceWithFileAndOffset() throws Exception {
    String header = "damaged bytes in ";
    try (LogLines log = new LogLines()) {
      cli.call("get", ledger, damaged).hasStatus(ExitCode.REFUSED);
      cli.call("get", ledger, damaged).hasStatus(ExitCode.REFUSED);
      assertThat(log.errors())
          .singleElement()
          .asString()
          .startsWith(header + "stream/")
          .contains(": journal " + damaged + " is damaged: ", "(ledger " + ledger + ")");
    }
    flip(last.requests().getFirst().header());
    String body = flip(last.requests().getFirst().body());
    try (LogLines log = new LogLines()) {
      for (int i = 0; i < 2; i++) {
        var _ = cli.call("get", ledger, damaged);
        var _ = cli.call("audit", ledger);
      }
      assertThat(log.errors()).singleElement().asString().startsWith(header + body + ": journal ");
    }
  }

  @Test
  void isNamedWhenABackupIsRefusedAndWhenItCopiesIt() throws Exception {
    Path data = home.resolve("data");
    Path to = home.resolve("backup");
    try (LogLines log = new LogLines()) {
      assertThat(Cli.run("backup", to, "--data", data).hasStatus(ExitCode.REFUSED).err())
          .contains("refused (damaged): stream/");
      assertThat(log.errors())
          .singleElement()
          .asString()
          .startsWith("no backup was made in " + to + ": stream/");
    }
    assertThat(to).doesNotExist();
    flip(last.requests().getFirst().header());
    String body = flip(last.requests().getFirst().body());
    try (LogLines log = new LogLines()) {
      Cli.run("backup", to, "--data", data).hasStatus(0);
      assertThat(log.errors()).hasSize(2);
      assertThat(log.errors().getFirst())
          .startsWith("backup: bodies of frame ")
          .contains(", in " + body.substring(0, body.indexOf(" at ")) + " at ");
    }
  }

  /// What of the last journal lies damaged in the store, and which of its public files still serve.
  enum Part {
    HEADER,
    ATTESTATION,
    BODY;

    boolean spoils(String path) {
      return path.startsWith("bodies/") == (this == BODY);
    }

    Bytes in(Submission submission) {
      return switch (this) {
        case HEADER -> submission.requests().getFirst().header();
        case ATTESTATION -> submission.attestation();
        case BODY -> submission.requests().getFirst().body();
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void isRefusedInEachPublicFileThatWouldHoldIt(Part part) throws Exception {
    if (part != Part.HEADER) {
      flip(last.requests().getFirst().header()); // back, before anybody has read it
      flip(part.in(last));
    }
    long file = damaged / TilePath.WIDTH;
    int width = (int) (damaged + 1 - file * TilePath.WIDTH);
    for (String path :
        List.of(
            TilePath.entries(file, width),
            TilePath.attestations(file, width),
            TilePath.bodies(file, width))) {
      HttpResponse<String> answer = get(path);
      if (part.spoils(path)) {
        assertThat(answer.statusCode()).as(path).isEqualTo(500);
        assertThat(answer.body())
            .as(path)
            .contains("\"code\":\"damaged\"", "journal " + damaged + " ");
      } else {
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
      }
    }
    assertThat(get(TilePath.entries(0, TilePath.WIDTH)).statusCode()).isEqualTo(200);
  }

  /// The first of several pieces is good and on its way; no caller may take it for the file.
  @Test
  void endsTheConnectionWhenAFileHasBegun() throws Exception {
    Submission large = last;
    long jsn = damaged;
    for (int i = 0; i < 5; i++) {
      byte[] payload = new byte[300_000];
      new SplittableRandom(i).nextBytes(payload);
      Fixtures now = live.now();
      large =
          now.submission(
              RequestDraft.append(
                      now.strand(),
                      Bytes.wrap(payload),
                      "",
                      System.currentTimeMillis(),
                      Fixtures.bytes32("large " + i))
                  .build(),
              Fixtures.ALICE);
      jsn = live.append(large).getReceipted().getFirstJsn();
    }
    long file = jsn / TilePath.WIDTH;
    String path = TilePath.bodies(file, (int) (jsn + 1 - file * TilePath.WIDTH));
    assertThat(get(path).body().length()).isGreaterThan(1_500_000);

    flip(large.requests().getFirst().body());
    double refusals = live.refusals("damaged");
    assertThatThrownBy(() -> get(path)).isInstanceOf(IOException.class);
    assertThat(live.refusals("damaged")).isEqualTo(refusals + 1);
    assertThat(live.refusals("internal")).isZero();
  }

  private HttpResponse<String> get(String path) throws Exception {
    URI uri = URI.create(live.service.httpTarget() + "/l/" + ledger + "/0/" + path);
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
          HttpRequest.newBuilder(uri).build(),
          HttpResponse.BodyHandlers.ofString(StandardCharsets.ISO_8859_1));
    }
  }

  /// @return file and offset of the part; of a body, those of its salt
  private String flip(Bytes part) throws IOException {
    byte[] stored = part.toArray();
    List<Path> segments;
    try (Stream<Path> files = Files.walk(home.resolve("data").resolve("stream"))) {
      segments = files.filter(Files::isRegularFile).toList();
    }
    for (Path segment : segments) {
      byte[] content = Files.readAllBytes(segment);
      int at = indexOf(content, stored);
      if (at < 0) {
        byte[] flipped = stored.clone();
        flipped[stored.length / 2] ^= 1;
        at = indexOf(content, flipped);
      }
      if (at >= 0) {
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
          file.seek(at + stored.length / 2);
          int before = file.read();
          file.seek(at + stored.length / 2);
          file.write(before ^ 1);
        }
        boolean body = part.equals(last.requests().getFirst().body());
        return String.format(
            Locale.ROOT,
            "%s at %d",
            home.resolve("data").relativize(segment),
            body ? at - PayloadItem.SALT_BYTES : at);
      }
    }
    throw new AssertionError("it is in no segment");
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
