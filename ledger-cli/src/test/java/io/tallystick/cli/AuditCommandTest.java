package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/// Goal: whatever `tally audit` is told, it answers with a report or with one line that says what
/// is wrong, and with the documented status. Method: the command line in this process, over a saved
/// log, with no service there.
class AuditCommandTest {
  @TempDir private static Path home;
  private static String ledger;
  private static Path copy;
  private static Path key;
  private static Path auditor;

  @BeforeAll
  static void saveALog() throws Exception {
    key = home.resolve("owner.pem");
    auditor = home.resolve("auditor.pem");
    copy = home.resolve("log.copy");
    Cli.run("keygen", key).hasStatus(0);
    Cli.run("keygen", auditor).hasStatus(0);
    Fixtures founded = Fixtures.ledger();
    ledger = founded.params().ledgerId().hex();
    LogCopy.save(new ReferenceLog(ReferenceLedger.found(founded).blocks(founded.single(1))), copy);
  }

  /// With nobody at the other end and no head trusted before.
  private static Cli.Result audit(Object... options) {
    Object[] words = new Object[options.length + 2];
    words[0] = "audit";
    words[1] = ledger;
    System.arraycopy(options, 0, words, 2, options.length);
    return new Cli("127.0.0.1:1", home.resolve("nobody").toString()).call(words);
  }

  private static void fails(int status, String says, Object... options) {
    Cli.Result result = audit(options).hasStatus(status);
    assertThat(result.err()).isEqualTo("tally: " + says + "\n");
    assertThat(result.out()).isEmpty();
  }

  @Test
  void refusesOptionsThatExcludeOrNeedEachOther() {
    Path state = home.resolve("unused");
    fails(
        ExitCode.USAGE,
        "--copy, --save and --tiles exclude each other",
        "--copy",
        copy,
        "--save",
        key);
    String together = "--state and --key belong together";
    fails(ExitCode.USAGE, together, "--copy", copy, "--state", state);
    fails(ExitCode.USAGE, together, "--copy", copy, "--key", auditor);
    fails(
        ExitCode.USAGE,
        "--every says how often to state; it needs --state and --key",
        "--copy",
        copy,
        "--every",
        "1");
    assertThat(state).doesNotExist();
  }

  @Test
  void refusesNumbersOutOfTheirRange() {
    Path state = home.resolve("unused");
    for (String every : new String[] {"-0.1", "86401", "NaN", "Infinity"}) {
      fails(
          ExitCode.USAGE,
          "--every is 0 to 86400",
          "--copy",
          copy,
          "--state",
          state,
          "--key",
          auditor,
          "--every=" + every);
    }
    for (String threads : new String[] {"0", "-1", "100000"}) {
      assertThat(audit("--copy", copy, "--threads=" + threads).hasStatus(ExitCode.USAGE).err())
          .startsWith("tally: --threads is 1 to ");
    }
    for (String option : new String[] {"--every=soon", "--threads=many", "--nonsense"}) {
      assertThat(audit("--copy", copy, option).hasStatus(ExitCode.USAGE).err())
          .contains(option.replaceFirst("=.*", ""));
    }
    Cli.run("audit").hasStatus(ExitCode.USAGE);
    assertThat(state).doesNotExist();
  }

  @Test
  void namesTheFileThatIsMissingOrNotWhatItShouldBe() throws Exception {
    Path missing = home.resolve("missing");
    Path folder = Files.createDirectories(home.resolve("folder"));
    String wantFile = folder + ": is a folder, want a file";
    fails(ExitCode.FILE, missing + " does not exist", "--copy", missing);
    fails(ExitCode.FILE, wantFile, "--copy", folder);
    fails(ExitCode.FILE, wantFile, "--save", folder);
    fails(ExitCode.FILE, copy + " exists and is not overwritten", "--save", copy);
    fails(ExitCode.FILE, missing + " does not exist", "--save", missing.resolve("log"));
    fails(
        ExitCode.FILE,
        copy + ": is a file, want a folder",
        "--copy",
        copy,
        "--state",
        copy,
        "--key",
        auditor);
    Path open = Files.copy(auditor, home.resolve("open.pem"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
    Path garbled = Files.writeString(home.resolve("garbled.pem"), "no key");
    Files.setPosixFilePermissions(garbled, PosixFilePermissions.fromString("rw-------"));
    Path state = home.resolve("unused");
    failsWithKey(state, missing, missing + " does not exist");
    failsWithKey(state, folder, folder + " is a folder, not a private key");
    failsWithKey(
        state, open, "private key " + open + " is open to others (rw-r--r--); make it 0600");
    failsWithKey(
        state, garbled, garbled + ": no private key in PEM; tally keygen NEW.pem makes one");
    assertThat(state).doesNotExist();
  }

  private static void failsWithKey(Path state, Path file, String says) {
    fails(ExitCode.FILE, says, "--copy", copy, "--state", state, "--key", file);
  }

  @Test
  void looksAtTheAuditorsFilesBeforeItAsksTheService() {
    Path missing = home.resolve("missing");
    fails(
        ExitCode.FILE,
        missing + " does not exist",
        "--save",
        home.resolve("never.copy"),
        "--state",
        home.resolve("unused"),
        "--key",
        missing);
  }

  @Test
  void saysWhatItDidNotCheckWithoutBodies() {
    Cli.Result result = audit("--copy", copy, "--no-bodies").hasStatus(0);
    assertThat(result.out()).contains("AUDIT PASSED", "NOT CHECKED");
    assertThat(audit("--copy", copy).hasStatus(0).out()).doesNotContain("NOT CHECKED");
    assertThat(
            audit("--copy", copy, "--no-bodies", "--json")
                .json()
                .get("audit")
                .get("bodiesChecked")
                .booleanValue())
        .isFalse();
  }

  @Test
  void goesOnFromAStatementAndRefusesOneItCannotGoOnFrom() throws Exception {
    Path state = home.resolve("state");
    assertThat(resumedFrom(state)).isZero();
    assertThat(resumedFrom(state)).isPositive();
    refuses("other_options", state, auditor, "--no-bodies");
    refuses("wrong_key", state, key);
    Path statement = state.resolve(ledger + "-0.audit");
    byte[] whole = Files.readAllBytes(statement);
    refusesChanged("bad_signature", state, statement, whole, 20, whole[20] ^ 1);
    refusesChanged("newer_version", state, statement, whole, 11, whole[11] + 1);
    refusesChanged("malformed", state, statement, whole, 0, 'X');
    Files.write(statement, new byte[0]);
    refuses("malformed", state, auditor);
    Files.delete(statement);
    Files.createDirectory(statement);
    assertThat(
            audit("--copy", copy, "--state", state, "--key", auditor)
                .hasStatus(ExitCode.FILE)
                .err())
        .startsWith("tally: " + statement)
        .hasLineCount(1);
  }

  private static int resumedFrom(Path state) {
    return audit("--copy", copy, "--state", state, "--key", auditor, "--every", "0", "--json")
        .json()
        .get("audit")
        .get("resumedFrom")
        .intValue();
  }

  private static void refusesChanged(
      String reason, Path state, Path statement, byte[] whole, int at, int value) throws Exception {
    byte[] changed = whole.clone();
    changed[at] = (byte) value;
    Files.write(statement, changed);
    refuses(reason, state, auditor);
  }

  private static void refuses(String reason, Path state, Path keyFile, Object... more) {
    Object[] options = new Object[more.length + 6];
    System.arraycopy(
        new Object[] {"--copy", copy, "--state", state, "--key", keyFile}, 0, options, 0, 6);
    System.arraycopy(more, 0, options, 6, more.length);
    Cli.Result result = audit(options).hasStatus(ExitCode.FILE);
    assertThat(result.err())
        .startsWith("tally: statement refused (" + reason + "): ")
        .endsWith("; nothing was audited\n")
        .hasLineCount(1);
  }

  // ---- what no small log brings about

  @Test
  void saysInOneLineThatALogIsBeyondItsBounds() {
    Cli.Result result =
        failing(() -> {
          throw new AuditLimitException("3 signatures are open, this auditor keeps 2");
        });
    assertThat(result.hasStatus(ExitCode.LIMIT).err())
        .isEqualTo(
            "tally: neither passed nor failed: 3 signatures are open, this auditor keeps 2\n");
  }

  @Test
  void saysInOneLineThatTheServiceSentNoLogToSave() {
    Cli.Result result =
        failing(() -> {
          throw LogFormatException.truncated("2 entries, want 3");
        });
    assertThat(result.hasStatus(ExitCode.EVIDENCE).err())
        .isEqualTo("tally: EVIDENCE DOES NOT VERIFY: 2 entries, want 3\n");
  }

  /// Whoever runs the tests as root may read everything.
  @Test
  void saysInOneLineThatAFileMayNotBeRead() {
    Cli.Result result =
        failing(() -> {
          throw new AccessDeniedException("log.copy");
        });
    assertThat(result.hasStatus(ExitCode.FILE).err())
        .isEqualTo("tally: log.copy may not be read or written\n");
  }

  @Command
  private record Failing(Callable<Integer> body) implements Callable<Integer> {
    @Override
    public Integer call() throws Exception {
      return body.call();
    }
  }

  /// Of a command of `tally` that ends so.
  private static Cli.Result failing(Callable<Integer> body) {
    CommandLine commandLine = Tally.commandLine();
    commandLine.addSubcommand("failing", new CommandLine(new Failing(body)));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    commandLine.setExecutionExceptionHandler(Tally.commandLine().getExecutionExceptionHandler());
    return new Cli.Result(commandLine.execute("failing"), out.toString(), err.toString());
  }
}
