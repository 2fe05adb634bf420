package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: what a user puts is what the user gets, as of any block, listed and in its history, on the
/// conditions given, and as a file that verifies without the service. Method: the command line
/// against a real service.
class StateCommandTest {
  @TempDir private static Path home;
  private static OwnedLedger owned;
  private static Cli cli;
  private static Path key;
  private static String ledger;

  @BeforeAll
  static void start() throws Exception {
    owned = OwnedLedger.found(home, "state", "--state");
    key = owned.key();
    cli = owned.cli();
    ledger = owned.id();
  }

  @AfterAll
  static void stop() {
    owned.close();
  }

  private static String create(Object... words) {
    List<Object> all = new ArrayList<>(List.of("ledger", "create"));
    all.addAll(List.of(words));
    all.addAll(List.of("--key", key, "--json"));
    return cli.call(all.toArray()).json().get("ledgerId").stringValue();
  }

  private static Cli.Result state(String command, Object... words) {
    List<Object> all = new ArrayList<>(List.of("state", command, ledger));
    all.addAll(List.of(words));
    if (command.equals("put") || command.equals("delete")) {
      all.addAll(List.of("--key", key));
    }
    return cli.call(all.toArray());
  }

  private static long put(Object... words) {
    List<Object> all = new ArrayList<>(List.of(words));
    all.add("--json");
    return state("put", all.toArray()).json().get("jsn").longValue();
  }

  private static long heightOf(String name) {
    return state("get", name, "--json").json().get("height").longValue();
  }

  @Test
  void getsWhatWasPutAsOfAnyBlock() {
    assertThat(state("get", "stock").hasStatus(0).out()).startsWith("\"stock\": never written");
    long first = put("stock", "12");
    long before = heightOf("stock");
    long second = put("stock", "11");
    assertThat(state("get", "stock").hasStatus(0).out())
        .startsWith("\"stock\": 2 B 11, by journal " + second)
        .contains("Verified: this is what it holds as of block ");
    JsonNode old = state("get", "stock", "--as-of", before, "--json").json();
    assertThat(old.get("answer").stringValue()).isEqualTo("present");
    assertThat(old.get("value").stringValue()).isEqualTo("12");
    assertThat(old.get("valueHex").stringValue()).isEqualTo("3132");
    assertThat(old.get("jsn").longValue()).isEqualTo(first);
    assertThat(old.get("height").longValue()).isEqualTo(before);
    assertThat(state("get", "stock", "--as-of", 999).hasStatus(ExitCode.REFUSED).err())
        .contains("refused (out_of_range): ");
    assertThat(state("delete", "stock").hasStatus(0).out()).contains("verified under the head");
    JsonNode gone = state("get", "stock", "--json").json();
    assertThat(gone.get("answer").stringValue()).isEqualTo("deleted");
    assertThat(gone.has("value")).isFalse();
  }

  @Test
  void getsAndListsWhatWasHeldAtATime() {
    put("clock", "1");
    JsonNode newest = state("get", "clock", "--json").json().get("newestHead");
    String time = newest.get("sealed").stringValue();
    assertThat(state("get", "clock", "--at-time", time).hasStatus(0).out())
        .contains("At " + time + " that block, sealed at " + time + ", was the newest; this is not")
        .doesNotContain("this is final");
    put("clock", "2");
    JsonNode then = state("get", "clock", "--at-time", time, "--json").hasStatus(0).json();
    assertThat(then.get("value").stringValue()).isEqualTo("1");
    assertThat(then.get("height")).isEqualTo(newest.get("height"));
    assertThat(then.get("final").booleanValue()).isTrue();
    assertThat(then.get("nextSealedMs").longValue())
        .isGreaterThan(then.get("sealedMs").longValue());
    assertThat(state("range", "--prefix", "clock", "--at-time", time).hasStatus(0).out())
        .contains("1 B 1", "1 key", "this is final.");
    assertThat(
            state("get", "clock", "--at-time", "1999-12-31T00:00:00Z")
                .hasStatus(ExitCode.REFUSED)
                .err())
        .contains("refused (time_out_of_range): 1999-12-31T00:00:00Z is not between ");
    assertThat(state("range", "--at-time", "99999999999999").hasStatus(ExitCode.REFUSED).err())
        .contains("refused (time_out_of_range): ", "the service's time");
  }

  @Test
  void keysAndValuesAreAnyBytes() throws Exception {
    Path file = Files.write(home.resolve("value.bin"), new byte[] {0, -1, 10, 27});
    state("put", "00ff", "--hex", "--file", file).hasStatus(0);
    JsonNode read = state("get", "00ff", "--hex", "--json").json();
    assertThat(read.get("keyHex").stringValue()).isEqualTo("00ff");
    assertThat(read.has("key")).isFalse();
    assertThat(read.get("valueHex").stringValue()).isEqualTo("00ff0a1b");
    assertThat(state("get", "00ff", "--hex").out()).doesNotContain("\u001b");
    PrintStream standard = System.out;
    ByteArrayOutputStream raw = new ByteArrayOutputStream();
    System.setOut(new PrintStream(raw, true, StandardCharsets.UTF_8));
    try {
      assertThat(state("get", "00ff", "--hex", "--raw").hasStatus(0).out()).isEmpty();
    } finally {
      System.setOut(standard);
    }
    assertThat(raw.toByteArray()).containsExactly(0, -1, 10, 27);
    assertThat(state("get", "nothing here", "--raw").hasStatus(ExitCode.USAGE).err())
        .contains("key \"nothing here\" has no value");
  }

  @Test
  void writesOnConditionOnly() {
    long first = put("seat", "free", "--if-absent");
    Cli.Result twice = state("put", "seat", "mine", "--if-absent").hasStatus(ExitCode.REFUSED);
    assertThat(twice.err()).contains("refused (precondition_failed): ", "key \"seat\" to hold");
    long second = put("seat", "alice", "--if-value", "free");
    assertThat(state("put", "seat", "bob", "--if-value", "free").hasStatus(3).err())
        .contains("refused (precondition_failed): ", "holds another value");
    assertThat(state("put", "seat", "bob", "--if-version", first).hasStatus(3).err())
        .contains("refused (precondition_failed): ");
    state("delete", "seat", "--if-version", second).hasStatus(0);
    put("seat", "free again", "--if-absent");
    Cli.Result journal = cli.call("get", ledger, second).hasStatus(0);
    assertThat(journal.out())
        .contains(", 1 operation", "| put \"seat\", 5 B, if its value commits to ");
    JsonNode operation = cli.call("get", ledger, first, "--json").json().get("operations").get(0);
    assertThat(operation.get("action").stringValue()).isEqualTo("put");
    assertThat(operation.get("key").stringValue()).isEqualTo("seat");
    assertThat(operation.get("ifAbsent").booleanValue()).isTrue();
  }

  @Test
  void listsARangeWhole() {
    for (int i = 0; i < 7; i++) {
      put("item " + i, "v" + i);
    }
    state("delete", "item 3").hasStatus(0);
    assertThat(keys("--prefix", "item "))
        .containsExactly("item 0", "item 1", "item 2", "item 4", "item 5", "item 6");
    assertThat(keys("--from", "item 2", "--to", "item 5")).containsExactly("item 2", "item 4");
    assertThat(state("range", "--prefix", "item ").out())
        .contains("\"item 0\": 2 B v0")
        .contains("Verified: 6 keys from \"item \" before \"item!\", and no other has a value");
    JsonNode cut = state("range", "--prefix", "item ", "--limit", 2, "--json").json();
    assertThat(cut.get("complete").booleanValue()).isFalse();
    assertThat(cut.get("keys").size()).isEqualTo(2);
    assertThat(state("range", "--prefix", "none").out())
        .startsWith("Verified: no key from \"none\"");
  }

  private static List<String> keys(Object... words) {
    List<Object> all = new ArrayList<>(List.of(words));
    all.add("--json");
    JsonNode range = state("range", all.toArray()).json();
    assertThat(range.get("complete").booleanValue()).isTrue();
    return range.get("keys").valueStream().map(row -> row.get("key").stringValue()).toList();
  }

  @Test
  void showsEveryVersion() {
    long first = put("price", "5");
    put("unrelated", "x");
    long second = put("price", "6");
    state("delete", "price").hasStatus(0);
    JsonNode history = state("history", "price", "--json").json();
    assertThat(history.get("complete").booleanValue()).isTrue();
    assertThat(history.get("versions").valueStream().map(row -> row.get("answer").stringValue()))
        .containsExactly("deleted", "present", "present");
    assertThat(history.get("versions").get(1).get("jsn").longValue()).isEqualTo(second);
    assertThat(history.get("versions").get(2).get("jsn").longValue()).isEqualTo(first);
    assertThat(state("history", "price").out())
        .contains("deleted", "1 B 6", "1 B 5")
        .contains("Verified: 3 writes of \"price\" up to block ")
        .contains("; it is proven that no other stood at the end of any block.");
    assertThat(history.get("completeness").stringValue()).isEqualTo("proven");
    assertThat(history.get("versions").get(0).get("stood").booleanValue()).isTrue();
    String cut = state("history", "price", "--limit", 1, "--no-values").out();
    assertThat(cut).contains("deleted", "1 write of", "there may be older ones: --as-of ");
    String height = cut.replaceFirst("(?s).*--as-of (\\d+).*", "$1");
    JsonNode rest = state("history", "price", "--as-of", height, "--no-values", "--json").json();
    assertThat(rest.get("versions").get(0).get("jsn").longValue()).isEqualTo(second);
    assertThat(rest.get("versions").get(0).has("value")).isFalse();
    assertThat(state("history", "never").out())
        .startsWith("Verified: 0 writes of \"never\" up to block ")
        .contains("it is proven that the key was never written");
  }

  @Test
  void aSavedProofVerifiesWithoutTheService() throws Exception {
    long jsn = put("evidence", "kept");
    Path file = home.resolve("evidence.state");
    String sealed =
        state("get", "evidence", "--save", file, "--json")
            .json()
            .get("newestHead")
            .get("sealed")
            .stringValue();
    Cli nowhere = new Cli("127.0.0.1:1", home.resolve("trust").toString());
    assertThat(nowhere.call("state", "verify", ledger, file).hasStatus(0).out())
        .startsWith("\"evidence\": 4 B kept, by journal " + jsn)
        .contains(", sealed " + sealed + ", under a signed head of ")
        .contains("The head is the newest this user trusts.");
    put("another", "x");
    JsonNode later = nowhere.call("state", "verify", ledger, file, "--json").json();
    assertThat(later.get("value").stringValue()).isEqualTo("kept");
    assertThat(later.get("sealed").stringValue()).isEqualTo(sealed);
    assertThat(later.get("headTrusted").booleanValue()).isFalse();
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 1;
    Path changed = Files.write(home.resolve("changed.state"), bytes);
    assertThat(nowhere.call("state", "verify", ledger, changed).hasStatus(ExitCode.EVIDENCE).err())
        .contains("EVIDENCE DOES NOT VERIFY: COMMITMENT_MISMATCH");
    Path cut = Files.write(home.resolve("cut.state"), new byte[] {(byte) 0x84});
    nowhere.call("state", "verify", ledger, cut).hasStatus(ExitCode.FILE);
  }

  @Test
  void aSavedRangeVerifiesWithoutTheService() throws Exception {
    put("row 1", "a");
    put("row 2", "b");
    put("row 3", "c");
    Path file = home.resolve("rows.state");
    JsonNode saved = state("range", "--prefix", "row ", "--save", file, "--json").json();
    assertThat(saved.get("complete").booleanValue()).isTrue();
    for (String[] again : new String[][] {{"range", "--prefix", "row "}, {"get", "row 1"}}) {
      List<Object> words = new ArrayList<>(List.of((Object[]) again).subList(1, again.length));
      words.addAll(List.of("--save", file));
      assertThat(state(again[0], words.toArray()).hasStatus(ExitCode.FILE).err())
          .contains("exists and is not overwritten");
    }
    Object[] reversed = {"--state", file, "--from", "row!", "--to", "row ", "--offline"};
    assertThat(verify(cli, reversed).hasStatus(ExitCode.USAGE).err())
        .contains("no key is from --from to before --to");
    Cli nowhere = new Cli("127.0.0.1:1", home.resolve("trust").toString());
    assertThat(nowhere.call("state", "verify", ledger, file).hasStatus(0).out())
        .contains("\"row 1\": 1 B a", "\"row 3\": 1 B c")
        .contains("Verified: 3 keys from \"row \" before \"row!\", and no other had a value")
        .contains("The head is the newest this user trusts.");
    Object[] whole = {"--state", file, "--from", "row ", "--to", "row!", "--offline", "--json"};
    JsonNode shown = verify(nowhere, whole).json().get("state");
    assertThat(shown.get("keys").valueStream().map(row -> row.get("value").stringValue()))
        .containsExactly("a", "b", "c");
    assertThat(shown.get("complete").booleanValue()).isTrue();
    assertThat(verify(cli, "--state", file).hasStatus(0).out())
        .contains("That head is one of the log's.");
    for (Object[] other : new Object[][] {{"--from", "row"}, {"--from", "row ", "--to", "row 2"}}) {
      List<Object> words = new ArrayList<>(List.of("--state", file, "--offline"));
      words.addAll(List.of(other));
      assertThat(verify(nowhere, words.toArray()).hasStatus(ExitCode.EVIDENCE).err())
          .contains("EVIDENCE DOES NOT VERIFY: WRONG_KEY", "is about the keys from \"row \"");
    }
    Object[] key = {"--state", file, "--key", "row 1", "--offline"};
    assertThat(verify(nowhere, key).hasStatus(ExitCode.USAGE).err()).contains("is about a range");
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 1;
    Path changed = Files.write(home.resolve("changed.rows"), bytes);
    assertThat(verify(nowhere, "--state", changed, "--offline").hasStatus(ExitCode.EVIDENCE).err())
        .contains("EVIDENCE DOES NOT VERIFY: COMMITMENT_MISMATCH", "changed.rows: ");
  }

  private static Cli.Result verify(Cli by, Object... words) {
    List<Object> all = new ArrayList<>(List.of("verify", ledger));
    all.addAll(List.of(words));
    return by.call(all.toArray());
  }

  /// Whoever joins the pages by the options that each names has the whole range.
  @Test
  void aSavedPageSaysWhereTheNextBegins() throws Exception {
    for (int i = 0; i < 3; i++) {
      put("page " + i, "v" + i);
    }
    Path file = home.resolve("page.state");
    Object[] first = {"--prefix", "page ", "--limit", 2, "--save", file};
    String text = state("range", first).hasStatus(0).out();
    assertThat(text).contains("the first 2 keys", "The file holds this page; the next: --as-of ");
    Object[] asked = {"--state", file, "--from", "page ", "--to", "page!", "--offline"};
    assertThat(verify(cli, asked).hasStatus(0).out())
        .contains("It is a part of the range asked for");
    String[] options =
        text.lines()
            .filter(line -> line.startsWith("The file holds"))
            .findFirst()
            .orElseThrow()
            .replaceFirst(".*; the next: ", "")
            .split(" ");
    List<Object> next = new ArrayList<>(List.of(options));
    next.addAll(List.of("--save", home.resolve("next.state"), "--json"));
    JsonNode rest = state("range", next.toArray()).json();
    assertThat(rest.get("complete").booleanValue()).isTrue();
    assertThat(rest.has("nextHex")).isFalse();
    assertThat(rest.get("keys").get(0).get("key").stringValue()).isEqualTo("page 2");
  }

  @Test
  void verifyComparesTheKeyOfASavedReading() {
    put("compared", "1");
    Path file = home.resolve("compared.state");
    state("get", "compared", "--save", file).hasStatus(0);
    Object[] right = {"--state", file, "--key", "compared", "--offline", "--json"};
    assertThat(verify(cli, right).json().get("state").get("value").stringValue()).isEqualTo("1");
    assertThat(verify(cli, "--state", file, "--key", "other").hasStatus(ExitCode.EVIDENCE).err())
        .contains("WRONG_KEY", "is about key \"compared\", not \"other\"");
    assertThat(verify(cli, "--state", file, "--to", "z").hasStatus(ExitCode.USAGE).err())
        .contains("is about one key, not a range");
    assertThat(verify(cli, "--key", "compared").hasStatus(ExitCode.USAGE).err())
        .contains("give --state FILE");
    assertThat(verify(cli, "--state", file, "--key", "0g", "--hex").hasStatus(2).err())
        .contains("\"0g\" is not hex");
  }

  @Test
  void aLedgerFoundedWithoutAStateSaysSo() {
    String plain = create("plain");
    assertThat(cli.call("state", "get", plain, "a").hasStatus(ExitCode.REFUSED).err())
        .contains("refused (feature_not_enabled): ");
    assertThat(
            cli.call("state", "put", plain, "a", "1", "--key", key)
                .hasStatus(ExitCode.REFUSED)
                .err())
        .contains("refused (feature_not_enabled): ");
  }

  @Test
  void theAuditPassesOverAState() {
    put("audited", "1");
    cli.call("audit", ledger).hasStatus(0);
  }
}
