package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.process.Folders;
import io.tallystick.cli.proposal.ProposalFile;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.ServiceProperties.Reads;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Goal: no command shows or publishes anything of a service that is behind what its user has
/// trusted, or beside it. Method: every command that reads, against a service whose data were put
/// back, and against the same once it has gone on otherwise. A new command fails until it is here.
class TrustedHeadTest {
  /// Commands that compare the log with the trusted head themselves, and report faults.
  private static final String AUDIT = "audit";

  /// Show nothing of a log but the receipt of what they write, whose head joins the trusted log.
  private static final List<String> WRITING =
      List.of(
          "append",
          "clue delete",
          "clue enable",
          "keys rotate",
          "ledger close",
          "ledger create",
          "member add",
          "member grant",
          "member revoke",
          "proposal put",
          "proposal withdraw",
          "purge submit",
          "state delete",
          "state put",
          "submit");

  /// Ask no service about a ledger: they work on files and folders, or start a service.
  private static final List<String> LOCAL =
      List.of(
          "anchor list",
          "backup",
          "demo",
          "evidence attestation",
          "evidence check",
          "evidence fork",
          "evidence misdated",
          "evidence omitted",
          "evidence seal",
          "health",
          "help",
          "invite",
          "keygen",
          "keys",
          "keys new",
          "propose add",
          "propose close",
          "propose clues",
          "propose grant",
          "propose revoke",
          "propose rotate",
          "prune",
          "purge recall",
          "rebuild",
          "restore",
          "sign",
          "state verify",
          "token",
          "train",
          "up",
          "writable");

  /// The service's list of ledgers, of which nothing is verified, and which says so.
  private static final List<String> WORD = List.of("ledger list");

  @TempDir private Path home;
  private Path owner = Path.of("");
  private String kid = "";
  private String ledger = "";

  @BeforeEach
  void rollBack() throws Exception {
    owner = home.resolve("owner.pem");
    kid = Cli.run("keygen", owner, "--json").json().get("kid").stringValue();
    try (RunningService service = start()) {
      Cli cli = cli(service, "trust");
      ledger =
          cli.call("ledger", "create", "set back", "--state", "--key", owner, "--json")
              .json()
              .get("ledgerId")
              .stringValue();
      append(cli, "first");
      cli.call("state", "put", ledger, "k", "v", "--key", owner).hasStatus(0);
    }
    RollbackTest.copy(home.resolve("data"), home.resolve("older"));
    try (RunningService service = start()) {
      append(cli(service, "trust"), "second");
      append(cli(service, "trust"), "third");
    }
    Folders.delete(home.resolve("data"));
    RollbackTest.copy(home.resolve("older"), home.resolve("data"));
  }

  private void append(Cli cli, String text) {
    cli.call("append", ledger, "--text", text, "--clue", "c", "--key", owner).hasStatus(0);
  }

  private RunningService start() throws Exception {
    return TallystickService.start(
        LocalNode::open, ServiceProperties.of(home.resolve("data"), 0).withReads(Reads.ANYONE));
  }

  private Cli cli(RunningService service, String trust) {
    return new Cli(service.target(), home.resolve(trust).toString());
  }

  /// With what they are called; what they ask for need not exist.
  private Map<String, List<Object>> reading() throws Exception {
    Map<String, List<Object>> reading = new HashMap<>();
    reading.put("anchor get", List.of(ledger));
    reading.put("anchor set", List.of(ledger));
    reading.put("anchor share", List.of(ledger, "--key", owner));
    reading.put("certificate", List.of(ledger, 2));
    reading.put("export", List.of(ledger, home.resolve("export")));
    reading.put("get", List.of(ledger, 2));
    reading.put("keys chain", List.of(ledger));
    reading.put("ledger show", List.of(ledger));
    reading.put("lineage", List.of(ledger, "c"));
    reading.put("list", List.of(ledger));
    reading.put("member certificate", List.of(ledger, kid));
    reading.put("member list", List.of(ledger));
    reading.put("proposal get", List.of(ledger, Digest.ZERO.hex()));
    reading.put("proposal list", List.of(ledger));
    reading.put("propose occult", List.of(ledger, "--jsn", 2, "--out", home.resolve("occult")));
    reading.put("purge prepare", List.of(ledger, "--height", 1, "--out", home.resolve("purge")));
    reading.put("purge sign", List.of(purge(), "--key", owner));
    reading.put("state get", List.of(ledger, "k"));
    reading.put("state history", List.of(ledger, "k"));
    reading.put("state range", List.of(ledger));
    reading.put("time export", List.of(ledger, "--out", home.resolve("tokens")));
    reading.put("time last", List.of(ledger));
    reading.put("time request", List.of(ledger));
    reading.put("verify", List.of(ledger));
    return reading;
  }

  private Path purge() throws Exception {
    Path file = home.resolve("to sign");
    Files.deleteIfExists(file);
    Extension asked = new Extension.Purge(new Jsn(4), 1, Digest.ZERO, 0);
    StrandId strand = new StrandId(LedgerId.fromHex(ledger), 0);
    byte[] salt = new byte[32];
    salt[0] = 1;
    new ProposalFile(file)
        .create(
            Proposal.of(
                RequestDraft.govern(
                        strand, Kind.PURGE, asked, System.currentTimeMillis(), Bytes.wrap(salt))
                    .build()));
    return file;
  }

  private void check(Cli cli, String reason) throws Exception {
    String evidence = "evidence in " + home.resolve("trust").resolve(ledger);
    List<String> wrong = new ArrayList<>();
    reading()
        .forEach((command, words) -> {
          Cli.Result result = call(cli, command, words);
          String said = result.err();
          boolean found =
              said.startsWith("tally: EVIDENCE DOES NOT VERIFY: ")
                  && said.contains(reason)
                  && said.contains(evidence);
          if (result.status() != ExitCode.EVIDENCE || !found) {
            wrong.add(command + ": " + result.status() + " " + result.out() + said);
          }
        });
    assertThat(wrong).isEmpty();
    assertThat(call(cli, AUDIT, List.of(ledger)).hasStatus(ExitCode.EVIDENCE).out())
        .contains("TRUSTED_HEAD_CONTRADICTED");
    for (String made : List.of("export", "tokens", "occult", "purge")) {
      assertThat(home.resolve(made)).doesNotExist();
    }
  }

  private static Cli.Result call(Cli cli, String command, List<Object> words) {
    Object[] all = new Object[words.size() + command.split(" ", -1).length];
    int at = 0;
    for (String word : command.split(" ", -1)) {
      all[at++] = word;
    }
    for (Object word : words) {
      all[at++] = word;
    }
    return cli.call(all);
  }

  @Test
  void noReadIsAnsweredByAServiceThatWasSetBack() throws Exception {
    try (RunningService service = start()) {
      check(cli(service, "trust"), "ROLLBACK");
    }
  }

  @Test
  void norByOneThatWentOnOtherwise() throws Exception {
    try (RunningService service = start()) {
      Cli innocent = cli(service, "another trust");
      for (int i = 0; i < 4; i++) {
        append(innocent, "another history " + i);
      }
      check(cli(service, "trust"), "FORK");
    }
  }

  @Test
  void everyCommandIsClassified() throws Exception {
    TreeSet<String> known = new TreeSet<>(reading().keySet());
    known.add(AUDIT);
    known.addAll(WRITING);
    known.addAll(LOCAL);
    known.addAll(WORD);
    TreeSet<String> all = new TreeSet<>();
    add("", Tally.commandLine(), all);
    assertThat(known).isEqualTo(all);
  }

  private static void add(String name, CommandLine line, Set<String> all) {
    if (line.getCommand() instanceof Callable<?>) {
      all.add(name.strip());
    }
    line.getSubcommands().forEach((word, below) -> add(name + " " + word, below, all));
  }
}
