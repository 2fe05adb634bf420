package io.tallystick.audit.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.AuditCounts;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.JournalRef;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.Fixtures;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Goal: the bytes of a statement are those of its page. Method: the page's worked example.
class StatementFormatTest {
  private static final Path PAGE = Path.of("../docs/formats/audit-statement.md");
  private static final Signer AUDITOR = Fixtures.CAROL;

  private static final Digest ROOT = Digest.fromHex("a0".repeat(32));

  /// Of no log: only what is needed to show each field.
  private static final AuditStatement EXAMPLE =
      new AuditStatement(
          new StrandId(new LedgerId(Digest.fromHex("11".repeat(32))), 0),
          new AuditStatement.Checks(true, true, true, 60_000),
          Bytes.fromHex("81a1"),
          new AuditStatement.Head(
              4,
              List.of(ROOT),
              ROOT,
              Digest.fromHex("b0".repeat(32)),
              1_000,
              2,
              1_790_000_001_000L,
              false),
          List.of(
              new AuditStatement.Member(
                  Fixtures.ALICE.publicKey(),
                  Role.OWNER,
                  -1,
                  -1,
                  false,
                  0,
                  1_790_000_000_000L,
                  Optional.empty()),
              new AuditStatement.Member(
                  Fixtures.BOB.publicKey(),
                  Role.NORMAL,
                  9,
                  1_790_000_000_500L,
                  true,
                  2,
                  1_790_000_000_400L,
                  Optional.of(Fixtures.ALICE.publicKey().kid()))),
          new AuditCounts(4, 2, 1, 0, 1, 0, 0, 1, 0, 1_234, 3, 5, 1, 6),
          1,
          List.of(new AuditFault(2, FaultKind.BODY_DAMAGED, "x")),
          Optional.of(new AuditStatement.Compared(2, Digest.fromHex("c0".repeat(32)))),
          7,
          Optional.of(Digest.fromHex("e0".repeat(32))),
          1_790_000_100_000L,
          Bytes.fromHex("d0".repeat(16) + "0000000000000002" + "000001a0c4515660"),
          new AuditStatement.Trust(
              3,
              List.of(
                  new ServiceKeys.Term(
                      new TreeSize(4),
                      Fixtures.NEXT_NOTE.publicKey(),
                      Fixtures.NEXT_RECEIPT.publicKey())),
              new TimeState(
                  Optional.of(new JournalRef(new Jsn(2), Digest.fromHex("f0".repeat(32)))),
                  List.of(new TimeHeads.Head(4, Digest.fromHex("a0".repeat(32)), 1)),
                  0,
                  1,
                  0,
                  new TimeState.Windows(
                      1,
                      1_790_000_000_900L,
                      1_790_000_000_900L,
                      0,
                      250,
                      List.of(new TimeState.Segment(2, 0, 1_790_000_000_900L)),
                      Map.of(250, 1L)))),
          new AuditStatement.Removals(
              List.of(
                  new AuditedRemovals.Occult(
                      3,
                      1_790_000_000_900L,
                      "y",
                      Optional.of(Digest.fromHex("12".repeat(32))),
                      List.of(
                          new AuditedRemovals.Signer(Fixtures.ALICE.publicKey().kid(), Role.OWNER),
                          new AuditedRemovals.Signer(
                              Fixtures.BOB.publicKey().kid(), Role.REGULATOR)),
                      1,
                      List.of(new AuditedRemovals.Range(2, 2)))),
              1,
              1,
              0,
              0,
              Optional.of(Digest.fromHex("e1".repeat(32)))));

  @Test
  void writesAndReadsTheWorkedExample() throws Exception {
    Bytes encoded = StatementCodec.encode(EXAMPLE, AUDITOR);
    assertThat(encoded.hex()).isEqualTo(example());
    assertThat(
            StatementCodec.decode(
                Bytes.wrap(HexFormat.of().parseHex(example())),
                AUDITOR.publicKey(),
                SignatureProviders.best()))
        .isEqualTo(EXAMPLE);
  }

  /// Written by an auditor that knew no clues.
  @Test
  void stillReadsVersion1() throws Exception {
    AuditStatement read = read("audit-statement-1.hex");
    assertThat(read)
        .usingRecursiveComparison()
        .ignoringFields(
            "checks", "members", "counts", "clueTrieFrom", "stateFile", "trust", "removals")
        .isEqualTo(EXAMPLE);
    assertThat(read.counts())
        .isEqualTo(new AuditCounts(4, 2, 1, 0, 1, 0, 0, 1, 0, 1_234, 0, 0, 0, 0));
    assertThat(read.clueTrieFrom()).isNegative();
    assertThat(read.stateFile()).isEmpty();
  }

  /// Written by an auditor that knew no state.
  @Test
  void stillReadsVersion2() throws Exception {
    AuditStatement read = read("audit-statement-2.hex");
    assertThat(read)
        .usingRecursiveComparison()
        .ignoringFields("checks", "members", "counts", "stateFile", "trust", "removals")
        .isEqualTo(EXAMPLE);
    assertThat(read.counts())
        .isEqualTo(new AuditCounts(4, 2, 1, 0, 1, 0, 0, 1, 0, 1_234, 3, 5, 1, 0));
    assertThat(read.stateFile()).isEmpty();
  }

  /// Written by an auditor that knew no grants.
  @Test
  void stillReadsVersion3() throws Exception {
    AuditStatement read = read("audit-statement-3.hex");
    assertThat(read)
        .usingRecursiveComparison()
        .ignoringFields("checks", "members", "trust", "removals")
        .isEqualTo(EXAMPLE);
    assertThat(read.members())
        .containsExactly(
            new AuditStatement.Member(Fixtures.ALICE.publicKey(), Role.OWNER, -1),
            new AuditStatement.Member(Fixtures.BOB.publicKey(), Role.NORMAL, 9, -1, false));
    assertThat(read.checks()).isEqualTo(new AuditStatement.Checks(true, true));
    assertThat(read.trust()).isEqualTo(AuditStatement.Trust.behind(EXAMPLE.head(), 1));
  }

  /// Written by an auditor that kept no history of members.
  @Test
  void stillReadsVersion4() throws Exception {
    AuditStatement read = read("audit-statement-4.hex");
    assertThat(read)
        .usingRecursiveComparison()
        .ignoringFields("members", "trust.time.windows.earliestMs", "removals")
        .isEqualTo(EXAMPLE);
    assertThat(read.members())
        .containsExactly(
            new AuditStatement.Member(Fixtures.ALICE.publicKey(), Role.OWNER, -1),
            new AuditStatement.Member(
                Fixtures.BOB.publicKey(), Role.NORMAL, 9, 1_790_000_000_500L, true));
    assertThat(read.trust().time().windows().earliestMs()).isEqualTo(TimeState.UNKNOWN);
  }

  /// Written by an auditor that knew no removals.
  @Test
  void stillReadsVersion5() throws Exception {
    AuditStatement read = read("audit-statement-5.hex");
    assertThat(read)
        .usingRecursiveComparison()
        .ignoringFields("members.sinceMs", "removals")
        .isEqualTo(EXAMPLE);
    assertThat(read.members()).extracting(AuditStatement.Member::sinceMs).containsOnly(-1L);
    assertThat(read.removals()).isEqualTo(AuditStatement.Removals.behind(EXAMPLE.head()));
  }

  private AuditStatement read(String resource) throws Exception {
    try (InputStream old = getClass().getResourceAsStream(resource)) {
      assertThat(old).isNotNull();
      String hex = new String(old.readAllBytes(), StandardCharsets.US_ASCII).replaceAll("\\s", "");
      return StatementCodec.decode(
          Bytes.fromHex(hex), AUDITOR.publicKey(), SignatureProviders.best());
    }
  }

  /// The bytes between the page's hex fence, without what stands behind `#`.
  private static String example() throws Exception {
    String page = Files.readString(PAGE);
    String fence = "```";
    int from = page.indexOf(fence + "hex") + fence.length() + 3;
    return page.substring(from, page.indexOf(fence, from)).replaceAll("#.*|\\s", "");
  }
}
