package io.tallystick.audit.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.source.NoLogException;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.note.NoteKey;
import io.tallystick.testkit.SeededSigner;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Goal: the tree of a log that is not a ledger's is audited as far as it goes, and what is changed
/// is named with the file and the right one of two that differ. Method: logs made by the recursive
/// definitions, and twins of them with one thing changed.
class TreeAuditorTest {
  private static final int SIZE = 700;
  private static final String LAST_BUNDLE = "tile/entries/002.p/188";
  private static final TreeAuditor AUDITOR =
      new TreeAuditor(ForeignLog.KEY, SignatureProviders.best());

  private final ForeignLog log = ForeignLog.of(SIZE);

  private TreeReport audit() throws Exception {
    return AUDITOR.audit(log, Optional.empty(), AuditProgress.NONE);
  }

  private TreeReport audit(Bytes earlier) throws Exception {
    return AUDITOR.audit(log, Optional.of(AUDITOR.head(earlier)), AuditProgress.NONE);
  }

  private static void fails(TreeReport report, long entry, FaultKind kind, String... says) {
    assertThat(report.faults()).hasSize(1);
    AuditFault fault = report.faults().getFirst();
    assertThat(fault.kind()).as(fault.detail()).isEqualTo(kind);
    assertThat(fault.jsn()).isEqualTo(entry);
    assertThat(fault.detail()).contains(says);
    assertThat(report.summary().result()).isEqualTo("failed");
    assertThat(report.text()).startsWith("TREE AUDIT FAILED").contains(kind.name());
  }

  @Test
  void passesLogsOfEverySizeAroundTheEdgesOfTiles() throws Exception {
    for (int size : new int[] {0, 1, 2, 255, 256, 257, 511, 512, 513, 66_000}) {
      ForeignLog sized = ForeignLog.of(size);
      TreeReport report = AUDITOR.audit(sized, Optional.empty(), AuditProgress.NONE);
      assertThat(report.faults()).as("size %d", size).isEmpty();
      assertThat(report.entries()).isEqualTo(size);
      assertThat(report.root().digest()).isEqualTo(sized.root(size));
      assertThat(report.levels()).isEqualTo(size == 0 ? 0 : size < 256 ? 1 : size < 65_536 ? 2 : 3);
    }
  }

  @Test
  void saysWhatItDidNotCheck() throws Exception {
    log.put("checkpoint", ForeignLog.sign(text(SIZE) + "an extension\nand another\n"));
    TreeReport report = audit();
    assertThat(report.faults()).isEmpty();
    assertThat(report.text())
        .startsWith("TREE AUDIT PASSED")
        .contains("NO earlier head")
        .contains("NOT CHECKED: what the entries say")
        .contains("NOT CHECKED: lines behind the root in the checkpoint: 2");
    assertThat(report.summary().notChecked()).hasSize(2);
  }

  private String text(int size) {
    String note = new String(log.note(size).toArray(), StandardCharsets.UTF_8);
    return note.substring(0, note.indexOf("\n\n") + 1);
  }

  @Test
  void saysWhetherTheEntryOrItsHashWasChanged() throws Exception {
    log.flip("tile/entries/001", -1);
    fails(audit(), 511, FaultKind.WRONG_ENTRY, "entry 255 of tile/entries/001", "tile/0/001");
    log.flip("tile/entries/001", -1);
    log.flip("tile/0/002.p/188", 32 * 5);
    fails(audit(), 517, FaultKind.WRONG_TILE, "tile/0/002.p/188", "the entry is signed");
    log.flip("tile/entries/000", 2);
    TreeReport both = audit();
    assertThat(both.faults())
        .extracting(AuditFault::kind)
        .containsExactly(FaultKind.HEAD_INVALID, FaultKind.WRONG_TILE);
    assertThat(both.faults().getFirst().detail())
        .contains("the entries have the root", "; entry 0 of tile/entries/000");
  }

  @Test
  void comparesTilesOfTheLevelsAbove() throws Exception {
    log.flip("tile/1/000.p/2", 40);
    fails(audit(), SIZE - 1, FaultKind.WRONG_TILE, "tile/1/000.p/2");
    log.flip("tile/1/000.p/2", 40);
    log.remove("tile/1/000.p/2");
    fails(audit(), SIZE - 1, FaultKind.LOG_TRUNCATED, "there is no tile/1/000.p/2");
  }

  @Test
  void namesTheFileThatIsMissingOrCutShort() throws Exception {
    Bytes tile = log.file("tile/0/001");
    log.remove("tile/0/001");
    fails(audit(), 256, FaultKind.LOG_TRUNCATED, "there is no tile/0/001");
    log.put("tile/0/001", tile.slice(0, tile.size() - 1));
    fails(audit(), 256, FaultKind.LOG_MALFORMED, "tile/0/001 has 8191 bytes, want 8192");
    log.put("tile/0/001", tile);
    Bytes bundle = log.file(LAST_BUNDLE);
    log.put(LAST_BUNDLE, bundle.slice(0, bundle.size() - 1));
    fails(audit(), 512, FaultKind.LOG_MALFORMED, LAST_BUNDLE, "item 187");
    log.remove(LAST_BUNDLE);
    fails(audit(), 512, FaultKind.LOG_TRUNCATED, "there is no " + LAST_BUNDLE);
    log.remove("checkpoint");
    assertThatThrownBy(this::audit)
        .isInstanceOf(NoLogException.class)
        .hasMessageContaining("no file checkpoint");
  }

  @Test
  void takesTheFullFileWhereThePartialOneIsGone() throws Exception {
    ForeignLog grown = ForeignLog.of(768);
    grown.put("checkpoint", grown.note(SIZE));
    grown.put("tile/1/000.p/2", grown.file("tile/1/000.p/3").slice(0, 64));
    TreeReport report = AUDITOR.audit(grown, Optional.empty(), AuditProgress.NONE);
    assertThat(report.faults()).isEmpty();
    assertThat(report.entries()).isEqualTo(SIZE);
  }

  @Test
  void refusesAHeadThatTheKeyDidNotSign() throws Exception {
    fails(withFilesOf(SIZE - 1), -1, FaultKind.HEAD_INVALID, "the entries have the root");
    log.put("checkpoint", log.note(SIZE));
    log.flip("checkpoint", -10);
    fails(audit(), -1, FaultKind.HEAD_INVALID, "BAD_SIGNATURE");
    log.put("checkpoint", ForeignLog.sign(text(SIZE).replace("others", "otters")));
    fails(audit(), -1, FaultKind.HEAD_INVALID, "WRONG_ORIGIN", "example.com/otters");
    NoteKey other = new NoteKey(ForeignLog.ORIGIN, SeededSigner.ed25519("x").publicKey());
    log.put("checkpoint", log.note(SIZE));
    TreeReport report =
        new TreeAuditor(other, SignatureProviders.best())
            .audit(log, Optional.empty(), AuditProgress.NONE);
    fails(report, -1, FaultKind.HEAD_INVALID, "WRONG_KEY");
  }

  /// A right log of that size, but with an entry and its hash changed together.
  private TreeReport withFilesOf(int size) throws Exception {
    ForeignLog twin = ForeignLog.of(size);
    twin.flip("tile/entries/000", 2);
    Bytes hash =
        TreeHasher.leafHash(twin.file("tile/entries/000").slice(2, "entry 0".length())).toBytes();
    byte[] tile = twin.file("tile/0/000").toArray();
    hash.copyInto(tile, 0);
    twin.put("tile/0/000", Bytes.wrap(tile));
    TreeReport report = AUDITOR.audit(twin, Optional.empty(), AuditProgress.NONE);
    // The level above still tells, too.
    assertThat(report.faults()).hasSize(2);
    twin.put("tile/1/000.p/2", fixedAbove(twin));
    return AUDITOR.audit(twin, Optional.empty(), AuditProgress.NONE);
  }

  private static Bytes fixedAbove(ForeignLog twin) {
    byte[] above = twin.file("tile/1/000.p/2").toArray();
    TreeHasher.rootInPlace(BatchHasher.cpu(), twin.file("tile/0/000").toArray(), 256)
        .copyInto(above, 0);
    return Bytes.wrap(above);
  }

  @Test
  void holdsTheLogToAHeadVerifiedBefore() throws Exception {
    for (int size : new int[] {0, 1, 256, 300, SIZE}) {
      assertThat(audit(log.note(size)).faults()).as("size %d", size).isEmpty();
    }
    fails(audit(ForeignLog.of(701).note(701)), -1, FaultKind.TRUSTED_HEAD_CONTRADICTED, "701");
    String other = text(300).replaceFirst("\n300\n", "\n299\n");
    fails(
        audit(ForeignLog.sign(other)),
        298,
        FaultKind.TRUSTED_HEAD_CONTRADICTED,
        "the first 299 entries");
    log.flip("tile/entries/000", 2);
    fails(audit(log.note(300)), 0, FaultKind.WRONG_ENTRY, "the tile is signed");
  }

  @Test
  void endsAtAFileThatPretendsToBeEndless() throws Exception {
    log.put("tile/entries/000", Bytes.wrap(new byte[256 * 65_537 + 1]));
    fails(audit(), 0, FaultKind.LOG_MALFORMED, "tile/entries/000 is longer than");
    log.put("checkpoint", ForeignLog.sign(text(1).replace("\n1\n", "\n" + (1L << 62) + "\n")));
    fails(audit(), 0, FaultKind.LOG_MALFORMED, "tile/entries/000");
  }

  @Test
  void readsOnlyTheOneTextOfAVerifierKey() throws Exception {
    String vkey = ForeignLog.KEY.vkey();
    assertThat(NoteKey.parse(vkey)).isEqualTo(ForeignLog.KEY);
    String id = ForeignLog.KEY.id().hex();
    refused(vkey.replace(id, "00000000"), "verifier key with id 00000000");
    refused(vkey.replace(ForeignLog.ORIGIN, "example.com/otters"), "its name and key have");
    refused(vkey.replace(id + "+A", id + "+B"), "verifier key of type 5, want 1");
    refused(ForeignLog.ORIGIN + "+" + id + "+", "of type ");
    refused(ForeignLog.ORIGIN + "+" + id + "+AQ==", "verifier key of 0 bytes");
    refused(ForeignLog.ORIGIN + "+" + id, "want NAME+ID+KEY");
    refused(vkey + "=", "base64");
    refused("a name+" + id + "+AQ==", "space");
    refused("", "want NAME+ID+KEY");
  }

  private static void refused(String vkey, String why) {
    assertThatThrownBy(() -> NoteKey.parse(vkey))
        .as(vkey)
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(why);
  }

  @Test
  void readsAnEarlierHeadOnlyIfTheKeySignedIt() {
    assertThatThrownBy(() -> AUDITOR.head(Bytes.utf8("no note")))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageContaining("MALFORMED");
  }
}
