package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: an operator makes the state of a block that the service answers as pruned, and anybody
/// reads it with the proofs that the service gave; whatever is wrong with it, with the log, or with
/// what is asked is said. Method: the command line against a real service, and then without it.
class RebuiltStateCommandTest {
  private static final int HEIGHT = 5;
  private static final Object[] KEYS = {"gone", "later", "seat", "stock"};

  @TempDir private static Path home;
  private static Cli nowhere;
  private static Path served;
  private static String ledger = "";
  private static String plain = "";

  /// Where a test makes states.
  @TempDir private Path own;

  private Path data = home.resolve("data");

  /// Blocks 1 to 6 of a ledger, whose state is pruned but for the newest. The file that `served`
  /// names is what the service answered for block 5 before.
  @BeforeAll
  static void fill() throws Exception {
    served = home.resolve("served");
    nowhere = new Cli("127.0.0.1:1", home.resolve("trust").toString());
    try (OwnedLedger owned = OwnedLedger.found(home, "seats", "--state")) {
      ledger = owned.id();
      Cli cli = owned.cli();
      write(owned, "put", "stock", "twelve");
      write(owned, "put", "seat", "free");
      write(owned, "put", "gone", "not yet gone");
      write(owned, "put", "stock", "eleven");
      write(owned, "delete", "seat");
      get(cli, KEYS, "--as-of", HEIGHT, "--save", served).hasStatus(0);
      write(owned, "put", "later", "and another");
      plain =
          cli.call("ledger", "create", "plain", "--key", owned.key(), "--json")
              .json()
              .get("ledgerId")
              .stringValue();
      Cli.run("prune", "--data", home.resolve("data"), ledger, "--below", 6).hasStatus(0);
      assertThat(get(cli, KEYS, "--as-of", HEIGHT).hasStatus(ExitCode.REFUSED).err())
          .contains("refused (pruned)", "the oldest kept is that of block 6; ")
          .contains("`tally rebuild --index state --as-of 5 --out DIR` makes it from the log");
    }
  }

  private static void write(OwnedLedger owned, String command, String... words) {
    List<Object> all = new ArrayList<>(List.of("state", command, ledger));
    all.addAll(List.of(words));
    all.addAll(List.of("--key", owned.key()));
    owned.cli().call(all.toArray()).hasStatus(0);
  }

  private static Cli.Result get(Cli by, Object[] keys, Object... words) {
    List<Object> all = new ArrayList<>(List.of("state", "get", ledger));
    all.addAll(List.of(keys));
    all.addAll(List.of(words));
    return by.call(all.toArray());
  }

  private Cli.Result read(Object key, Object... words) {
    List<Object> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--rebuilt", own.resolve("folder")));
    return get(nowhere, new Object[] {key}, all.toArray());
  }

  private Cli.Result rebuild(long height, String folder, Object... words) {
    List<Object> all = new ArrayList<>(List.of("rebuild", "--index", "state", "--data", data));
    all.addAll(List.of("--as-of", height, "--out", own.resolve(folder)));
    all.addAll(List.of(words));
    return Cli.run(all.toArray());
  }

  @Test
  void readsAreTheOnesThatTheServiceGave() throws Exception {
    JsonNode made = rebuild(HEIGHT, "folder", "--json").json();
    assertThat(made.get("ledger").stringValue()).isEqualTo(ledger);
    assertThat(made.get("height").longValue()).isEqualTo(HEIGHT);
    assertThat(made.get("values").longValue()).isEqualTo(2);
    assertThat(made.get("entries").longValue()).isEqualTo(3);
    assertThat(made.get("directory").stringValue()).isEqualTo(own.resolve("folder").toString());
    assertThat(read("stock").hasStatus(0).out())
        .startsWith("\"stock\": 6 B eleven, by journal ")
        .contains("Verified: this is what it held as of block 5, sealed ")
        .contains("It was not compared with the head of ");
    assertThat(read("seat").hasStatus(0).out()).startsWith("\"seat\": deleted, by journal ");
    assertThat(read("later").hasStatus(0).out()).startsWith("\"later\": never written");
    assertThat(read("gone", "--raw", "--as-of", HEIGHT).hasStatus(0).status()).isZero();
    JsonNode one = read("gone", "--json").json();
    assertThat(one.get("value").stringValue()).isEqualTo("not yet gone");
    assertThat(one.get("height").longValue()).isEqualTo(HEIGHT);
    assertThat(one.get("headTrusted").booleanValue()).isFalse();
    Path file = own.resolve("read");
    Object[] save = {"--save", file, "--rebuilt", own.resolve("folder"), "--json"};
    JsonNode several = get(nowhere, KEYS, save).json();
    assertThat(several.get("keys").valueStream().map(row -> row.get("answer").stringValue()))
        .containsExactly("present", "absent", "deleted", "present");
    assertThat(file).hasSameBinaryContentAs(served);
    assertThat(nowhere.call("state", "verify", ledger, file).hasStatus(0).out())
        .contains("Verified: this is what the 4 keys held as of block 5, sealed ");
    Path range = own.resolve("range");
    Object[] some = {"state", "range", ledger, "--rebuilt", own.resolve("folder"), "--limit", 1};
    assertThat(nowhere.call(some).hasStatus(0).out())
        .contains(
            "\"gone\": 12 B not yet gone", "Verified, with more behind: the first 1 key as of")
        .doesNotContain("stock");
    Object[] all = {
      "state", "range", ledger, "--rebuilt", own.resolve("folder"), "--save", range, "--prefix", "s"
    };
    assertThat(nowhere.call(all).hasStatus(0).out())
        .contains(
            "\"stock\": 6 B eleven", "1 key from \"s\" before \"t\", and no other had a value");
    nowhere.call("verify", ledger, "--state", range, "--offline").hasStatus(0);
    assertThat(rebuild(0, "first").hasStatus(0).out()).contains("as of block 0 in ", ": 0 values");
  }

  @Test
  void eachChangedByteIsFound() throws Exception {
    rebuild(HEIGHT, "folder").hasStatus(0);
    try (Stream<Path> files = Files.walk(own.resolve("folder"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        byte[] good = Files.readAllBytes(file);
        for (int at = 3; at < good.length; at += 97) {
          byte[] bad = good.clone();
          bad[at] ^= 1;
          Files.write(file, bad);
          Object[] folder = {"--rebuilt", own.resolve("folder")};
          assertThat(get(nowhere, KEYS, folder).status())
              .as("%s at %d", file, at)
              .isEqualTo(ExitCode.EVIDENCE);
        }
        Files.write(file, good);
      }
    }
    read("stock").hasStatus(0);
    Files.delete(own.resolve("folder").resolve("state"));
    assertThat(read("stock").hasStatus(ExitCode.FILE).err())
        .contains("holds no state that `tally rebuild` has finished");
  }

  private void changeInLog(String text) throws IOException {
    try (Stream<Path> files = Files.walk(data.resolve("stream"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
        if (at >= 0) {
          bytes[at] ^= 1;
          Files.write(file, bytes);
          return;
        }
      }
    }
    throw new AssertionError("the log has no " + text);
  }

  /// A body that is damaged costs its values alone; operations that are, the state.
  @Test
  void damageInTheLogIsEvidence() throws Exception {
    data = own.resolve("damaged");
    RollbackTest.copy(home.resolve("data"), data);
    changeInLog("not yet gone");
    Cli.Result made = rebuild(HEIGHT, "folder").hasStatus(ExitCode.EVIDENCE);
    long jsn = read("gone", "--json").hasStatus(ExitCode.EVIDENCE).parsed().get("jsn").longValue();
    assertThat(made.out())
        .contains("1 value, the root as sealed.", "DAMAGED in the log", "of journals " + jsn + ".");
    assertThat(read("gone").out()).contains("12 B damaged, by journal", "DAMAGED, in ");
    assertThat(read("gone", "--raw").hasStatus(ExitCode.EVIDENCE).err()).contains("is damaged");
    assertThat(read("stock").hasStatus(0).out()).contains("eleven");
    changeInLog("gone");
    assertThat(rebuild(HEIGHT, "another").hasStatus(ExitCode.EVIDENCE).out())
        .startsWith("EVIDENCE DOES NOT VERIFY: ")
        .contains("journals " + jsn + " to " + jsn + " of block 3: committed operations: ")
        .contains("No state was made.");
    assertThat(own.resolve("another").resolve("state")).doesNotExist();
    rebuild(2, "earlier").hasStatus(0);
  }

  @Test
  void saysWhatItCannotDo() throws Exception {
    assertThat(rebuild(7, "folder").hasStatus(ExitCode.REFUSED).err())
        .contains("refused (out_of_range): block 7 does not exist; the newest is 6");
    assertThat(own.resolve("folder")).doesNotExist();
    assertThat(rebuild(1, "folder", "--ledger", plain).hasStatus(ExitCode.REFUSED).err())
        .contains("refused (feature_not_enabled): the ledger has no state");
    assertThat(rebuild(1, "folder", "--ledger", "ab".repeat(32)).hasStatus(ExitCode.USAGE).err())
        .contains("no ledger abab");
    assertThat(rebuild(-1, "folder").hasStatus(ExitCode.USAGE).err()).contains("0 or more");
    Object[] inside = {
      "rebuild", "--index", "state", "--as-of", 1, "--out", data.resolve("inside"), "--data", data
    };
    assertThat(Cli.run(inside).hasStatus(ExitCode.FILE).err()).contains("are one in the other");
    for (String index : List.of("clue", "state")) {
      Object[] half = {"rebuild", "--index", index, "--as-of", 1, "--data", data};
      assertThat(Cli.run(half).hasStatus(ExitCode.USAGE).err()).contains("--out");
    }
    Object[] clue = {"rebuild", "--index", "clue", "--as-of", 1, "--out", own.resolve("folder")};
    assertThat(Cli.run(clue).hasStatus(ExitCode.USAGE).err()).contains("are of --index state");
    rebuild(HEIGHT, "folder").hasStatus(0);
    assertThat(rebuild(HEIGHT, "folder").hasStatus(ExitCode.FILE).err())
        .contains("folder: is not empty");
    assertThat(read("stock", "--as-of", 4).hasStatus(ExitCode.USAGE).err())
        .contains("holds the state as of block 5, not 4");
    assertThat(read("stock", "--at-time", 1).hasStatus(ExitCode.USAGE).err())
        .contains("--at-time and --rebuilt: give one of them");
    assertThat(read("stock", "--max-age", "1s").hasStatus(ExitCode.USAGE).err())
        .contains("with --rebuilt none is asked for");
    assertThat(read("seat", "--raw").hasStatus(ExitCode.USAGE).err()).contains("has no value");
    Object[] other = {"state", "get", plain, "stock", "--rebuilt", own.resolve("folder")};
    assertThat(nowhere.call(other).hasStatus(ExitCode.FILE).err())
        .contains("holds a state of ledger " + ledger);
    Object[] missing = {"state", "get", ledger, "stock", "--rebuilt", own.resolve("none")};
    assertThat(nowhere.call(missing).hasStatus(ExitCode.FILE).err()).contains("none");
  }

  @Test
  void ofSeveralLedgersOneIsNamed() throws Exception {
    Path elsewhere = Files.createDirectory(own.resolve("other"));
    try (OwnedLedger second = OwnedLedger.found(elsewhere, "second", "--state")) {
      var _ =
          second
              .cli()
              .call("ledger", "create", "third", "--state", "--key", second.key())
              .hasStatus(0);
      data = elsewhere.resolve("data");
      assertThat(rebuild(0, "folder").hasStatus(ExitCode.FILE).err())
          .contains("data directory", "is in use by process");
    }
    assertThat(rebuild(0, "folder").hasStatus(ExitCode.USAGE).err())
        .contains("2 ledgers have a state in ", "name one with --ledger");
  }
}
