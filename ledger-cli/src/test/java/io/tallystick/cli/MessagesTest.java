package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what a user did wrong is said in one line: what, which path, what to do; and the status is
/// that of its kind. Method: the command line in this process, with no service anywhere.
class MessagesTest {
  private static final String LEDGER = "ab".repeat(32);

  @TempDir private static Path home;
  private static Path key;
  private static Path file;
  private static Path folder;

  @BeforeAll
  static void makeFiles() throws Exception {
    key = home.resolve("mine.pem");
    Cli.run("keygen", key).hasStatus(0);
    file = Files.writeString(home.resolve("file"), "content");
    folder = Files.createDirectory(home.resolve("folder"));
  }

  private static void fails(int status, String says, Object... arguments) {
    Cli.Result result = Cli.run(arguments).hasStatus(status);
    assertThat(result.err()).isEqualTo("tally: " + says + "\n");
    assertThat(result.out()).isEmpty();
  }

  /// With nobody at the other end.
  private static void failsAlone(int status, String says, Object... arguments) {
    Cli.Result result =
        new Cli("127.0.0.1:1", home.resolve("trust").toString()).call(arguments).hasStatus(status);
    assertThat(result.err()).isEqualTo("tally: " + says + "\n");
    assertThat(result.out()).isEmpty();
  }

  @Test
  void saysWhatIsWrongWithACommandLineAndWhereTheHelpIs() {
    String unmatched = "Unmatched argument at index 2: 'more'; see tally keygen --help";
    fails(ExitCode.USAGE, unmatched, "keygen", file, "more");
    fails(ExitCode.USAGE, "Unknown option: '--nonsense'; see tally up --help", "up", "--nonsense");
    for (String group : new String[] {"ledger", "member"}) {
      assertThat(Cli.run(group).hasStatus(ExitCode.USAGE).err())
          .startsWith("tally: ")
          .endsWith("; see tally " + group + " --help\n")
          .hasLineCount(1);
    }
    for (Object[] words :
        new Object[][] {
          {},
          {"append"},
          {"append", LEDGER, "--text", "x"},
          {"list", LEDGER, "--limit", "many"},
          {"member", "add", LEDGER, "00", "--key", key, "--role", "king"},
          {"no-such-command"},
        }) {
      assertThat(Cli.run(words).hasStatus(ExitCode.USAGE).err())
          .as(String.join(" ", Arrays.stream(words).map(Object::toString).toList()))
          .startsWith("tally: ")
          .contains("; see tally ")
          .endsWith(" --help\n")
          .hasLineCount(1);
    }
  }

  @Test
  void saysWhatWasMeantAndWhatANumberIs() {
    assertThat(Cli.run("list", LEDGER, "--limt", "3").hasStatus(ExitCode.USAGE).err())
        .contains("Unknown option", "did you mean --limit?");
    assertThat(Cli.run("ledgr").hasStatus(ExitCode.USAGE).err()).contains("did you mean ledger");
    assertThat(Cli.run("time", "last", LEDGER, "--at", "1s").hasStatus(ExitCode.USAGE).err())
        .contains("'1s' is no whole number of milliseconds;");
    for (String[] wrong :
        new String[][] {
          {"up", "--shutdown-delay", "1m", "is no whole number of seconds;"},
          {"up", "--trace-sampling", "many", "is no number;"},
          {"list", LEDGER, "--limit", "1.5", "is no whole number;"},
          {"propose", "grant", LEDGER, "00", "--until", "noon", "is no time, as 2027-"},
        }) {
      Object[] words = Arrays.copyOf(wrong, wrong.length - 1, Object[].class);
      assertThat(Cli.run(words).hasStatus(ExitCode.USAGE).err())
          .contains("'" + words[words.length - 1] + "' " + wrong[wrong.length - 1]);
    }
    assertThat(Cli.run("state", "histroy", LEDGER).hasStatus(ExitCode.USAGE).err())
        .contains("did you mean history");
  }

  @Test
  void describesCommandsAndSaysWhichThereAreNot() {
    String help = Cli.run("--help").hasStatus(0).out();
    assertThat(Cli.run("help").hasStatus(0).out()).isEqualTo(help).contains("lineage", "help");
    assertThat(Cli.run("help", "purge", "sign").hasStatus(0).out())
        .isEqualTo(Cli.run("purge", "sign", "--help").hasStatus(0).out());
    fails(ExitCode.USAGE, "there is no command 'occult'; see tally --help", "help", "occult");
    fails(ExitCode.USAGE, "there is no command 'occult'; see tally --help", "occult", "--help");
    fails(
        ExitCode.USAGE,
        "there is no command 'undo'; see tally purge --help",
        "purge",
        "undo",
        "--help");
  }

  @Test
  void saysWhyAKeyCouldNotBeWritten() {
    Path below = file.resolve("key.pem");
    fails(
        ExitCode.FILE,
        "cannot write " + below + ": " + file + ": is a file, want a folder",
        "keygen",
        below);
    // No folder of this file system takes files, whoever asks.
    Path never = Path.of("/proc/key.pem");
    fails(
        ExitCode.FILE,
        "cannot write " + never + ": its folder takes no new files",
        "keygen",
        never);
    fails(ExitCode.FILE, file + " exists and is not overwritten", "keygen", file);
    fails(ExitCode.FILE, folder + " exists and is not overwritten", "keygen", folder);
  }

  @Test
  void takesStandardInputOnceAndEachKeyOnce() throws Exception {
    String once = "- is standard input, which can be read once only";
    failsAlone(ExitCode.USAGE, once, "append", LEDGER, "-", file, "-", "--key", key);
    Path copy = Files.copy(key, home.resolve("copy.pem"));
    Files.setPosixFilePermissions(copy, Files.getPosixFilePermissions(key));
    String same =
        String.format(
            Locale.ROOT, "--key %s and --key %s are the same key; give each key once", key, copy);
    Object[] keys = {"--key", key, "--key", copy};
    failsAlone(ExitCode.USAGE, same, with(keys, "append", LEDGER, "--text", "x"));
    assertThat(
            new Cli("127.0.0.1:1", home.toString())
                .call(with(keys, "ledger", "create", "twice"))
                .hasStatus(ExitCode.USAGE)
                .err())
        .isEqualTo("tally: " + same + "\n");
  }

  private static Object[] with(Object[] more, Object... words) {
    Object[] all = Arrays.copyOf(words, words.length + more.length);
    System.arraycopy(more, 0, all, words.length, more.length);
    return all;
  }

  @Test
  void saysThatAFolderIsNoFileAndAFileNoFolder() {
    String wantFile = folder + ": is a folder, want a file";
    String wantFolder = file + ": is a file, want a folder";
    failsAlone(ExitCode.FILE, wantFile, "append", LEDGER, folder, "--key", key);
    failsAlone(ExitCode.FILE, wantFile, "get", LEDGER, 2, "--payload", folder);
    failsAlone(ExitCode.FILE, wantFile, "get", LEDGER, 2, "--receipt", folder);
    failsAlone(
        ExitCode.FILE,
        folder + " is a folder, not a private key",
        "append",
        LEDGER,
        "--text",
        "x",
        "--key",
        folder);
    for (String command : new String[] {"audit", "verify", "list"}) {
      fails(ExitCode.FILE, wantFolder, command, LEDGER, "--trust", file);
    }
    fails(ExitCode.FILE, wantFolder, "ledger", "list", "--trust", file);
  }

  @Test
  void saysThatAPayloadIsTooLongOrItsTypeNoType() throws Exception {
    Path tooLong = Files.write(home.resolve("long"), new byte[(1 << 20) + 1]);
    failsAlone(
        ExitCode.FILE,
        tooLong + " is longer than a payload may be, 1048576 bytes",
        "append",
        LEDGER,
        tooLong,
        "--key",
        key);
    failsAlone(
        ExitCode.USAGE,
        "content type has a control character at 4",
        "append",
        LEDGER,
        "--text",
        "x",
        "--key",
        key,
        "--content-type",
        "text\n");
  }

  @Test
  void countsInWordsThatFit() {
    assertThat(Count.of(0, "ledger")).isEqualTo("0 ledgers");
    assertThat(Count.of(1, "ledger")).isEqualTo("1 ledger");
    assertThat(Count.of(2_000, "ledger")).isEqualTo("2,000 ledgers");
  }
}
