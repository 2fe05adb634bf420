package io.tallystick.server.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.node.Backups;
import io.tallystick.server.backup.BackupRefusedException.Reason;
import io.tallystick.server.keys.RecordedKeys;
import io.tallystick.testkit.Fixtures;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: a manifest is the lines of `docs/formats/backup.md`, and nothing else is read as one.
class BackupManifestTest {
  private static final Path PAGE = Path.of("../docs/formats/backup.md");
  private static final String BEGIN = "```text manifest\n";

  private static BackupManifest sample() {
    Digest root = Digest.of(Fixtures.bytes32("root"));
    return new BackupManifest(
        Fixtures.TIME_MS,
        false,
        0,
        6,
        new RecordedKeys(
            new Authority("localhost"),
            List.of(
                new RecordedKeys.Ids(
                    Fixtures.NOTE.publicKey().kid(), Fixtures.RECEIPT.publicKey().kid()))),
        List.of(
            new Backups.Head(
                Fixtures.ledger().strand().ledger(), 4, 2, root, true, Fixtures.LEDGER_NAME)),
        List.of(3L),
        List.of(
            new BackupManifest.Part("rows", 2_048, Digest.of(Fixtures.bytes32("rows"))),
            new BackupManifest.Part(
                "stream/00000000/00000000.seg", 8_256, Digest.of(Fixtures.bytes32("segment")))));
  }

  private static BackupManifest read(String text) throws BackupRefusedException {
    return new ManifestReader("manifest", text.getBytes(StandardCharsets.UTF_8)).read();
  }

  private static String encoded() {
    return new String(sample().encode().toArray(), StandardCharsets.UTF_8);
  }

  /// With the sum that fits the lines.
  private static String summed(String lines) {
    byte[] covered = lines.getBytes(StandardCharsets.UTF_8);
    return lines + "sum " + BackupManifest.sha256(covered, covered.length) + "\n";
  }

  private static String lines() {
    String all = encoded();
    return all.substring(0, all.indexOf("sum "));
  }

  private static void assertRefused(String text, Reason reason, String how) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOfSatisfying(
            BackupRefusedException.class, refusal -> assertThat(refusal.reason()).isEqualTo(reason))
        .hasMessageContaining(how);
  }

  @Test
  void isWhatThePageShows() throws Exception {
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    assertThat(encoded()).isEqualTo(page.substring(begin, page.indexOf("```", begin)));
    assertThat(read(encoded())).isEqualTo(sample());
    assertThat(read(summed(lines()))).isEqualTo(sample());
    String old = lines().replace("-backup 2\n", "-backup 1\n");
    assertThat(read(summed(old))).as("of the version before").isEqualTo(sample());
  }

  @Test
  void everyChangeOfALineIsRefused() {
    String all = encoded();
    for (int at = 0; at < all.length(); at++) {
      String changed = all.substring(0, at) + (char) (all.charAt(at) ^ 1) + all.substring(at + 1);
      assertThatThrownBy(() -> read(changed))
          .as("character %d", at)
          .isInstanceOf(BackupRefusedException.class);
    }
    assertRefused("", Reason.DAMAGED, "does not begin with");
    assertRefused(all.substring(0, all.length() - 1), Reason.DAMAGED, "its sum");
    assertRefused(all.replace("-backup 2\n", "-backup 12\n"), Reason.NEWER_FORMAT, "format 12");
  }

  /// Whoever writes a manifest may sum it; it still brings nothing else into a data directory.
  @Test
  void onlyPartsOfABackupAreRead() {
    for (String name :
        List.of(
            "keys/note.pem",
            "stream/../keys/note.pem",
            "/etc/passwd",
            "meta/CURRENT",
            "t-ledger/owner.pem",
            "restore.unfinished",
            "index")) {
      assertRefused(
          summed(lines().replace("part rows ", "part " + name + " ")), Reason.DAMAGED, "line ");
    }
    assertRefused(summed(lines().replace("last no", "last maybe")), Reason.DAMAGED, "maybe");
    assertRefused(summed(lines().replace("taken ", "taken -")), Reason.DAMAGED, "negative");
    assertRefused(summed(lines() + "more x\n"), Reason.DAMAGED, "unknown: more x");
    assertRefused(
        summed(lines().replaceAll("keys .*\n", "")), Reason.DAMAGED, "a service has a pair");
  }
}
