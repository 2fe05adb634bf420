package io.tallystick.server.backup;

import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Utf8;
import io.tallystick.node.Backups;
import io.tallystick.server.backup.BackupRefusedException.Reason;
import io.tallystick.server.keys.RecordedKeys;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;

/// The list of a backup's files, and of what it is a copy: the file `manifest`, lines of text,
/// written last. Source: docs/formats/backup.md.
///
/// @param takenMs when it was begun, by the machine's clock
/// @param last whether no service is to go on from the data directory that it was made of
/// @param firstFrame number of the first frame that it has
/// @param nextFrame number of the first that it does not have
/// @param damaged numbers of frames of which bodies are damaged
public record BackupManifest(
    long takenMs,
    boolean last,
    long firstFrame,
    long nextFrame,
    RecordedKeys keys,
    List<Backups.Head> heads,
    List<Long> damaged,
    List<Part> parts) {
  /// Its file in the backup.
  public static final String FILE = "manifest";

  static final int VERSION = 2;

  /// Backups of this version have the same lines; their frames have no notes.
  static final int VERSION_WITHOUT_NOTES = 1;

  static final String NEW = FILE + ".new";
  private static final long BYTES_MAX = 256L << 20;

  public BackupManifest {
    heads = List.copyOf(heads);
    damaged = List.copyOf(damaged);
    parts = List.copyOf(parts);
  }

  /// A file of the backup.
  ///
  /// @param name relative to the backup, and to the data directory but for {@link RowFile#NAME}
  public record Part(String name, long bytes, Digest sha256) {}

  /// The bytes of all files but this one.
  public long bytes() {
    return parts.stream().mapToLong(Part::bytes).sum();
  }

  /// All lines with the last one, the hash of those before.
  Bytes encode() {
    StringBuilder text = new StringBuilder();
    line(text, ManifestReader.MAGIC, VERSION);
    line(text, "taken", takenMs);
    line(text, "last", last ? "yes" : "no");
    line(text, "authority", keys.authority().value());
    for (RecordedKeys.Ids pair : keys.pairs()) {
      line(text, "keys", pair.noteKid() + " " + pair.receiptKid());
    }
    line(text, "frames", firstFrame + " " + nextFrame);
    for (long frame : damaged) {
      line(text, "damaged", frame);
    }
    for (Backups.Head head : heads) {
      line(
          text,
          "ledger",
          String.format(
              Locale.ROOT,
              "%s %d %d %s %s %s",
              head.ledger(),
              head.size(),
              head.blocks(),
              head.root(),
              head.witnessed() ? "witnessed" : "plain",
              head.name()));
    }
    for (Part part : parts) {
      line(text, "part", part.name() + " " + part.bytes() + " " + part.sha256());
    }
    byte[] covered = Utf8.encode(text.toString());
    line(text, ManifestReader.SUM, sha256(covered, covered.length));
    return Bytes.utf8(text.toString());
  }

  private static void line(StringBuilder text, String word, Object rest) {
    text.append(word).append(' ').append(rest).append('\n');
  }

  static Digest sha256(byte[] bytes, int count) {
    MessageDigest digest = BackupFileWriter.sha256();
    digest.update(bytes, 0, count);
    return Digest.of(digest.digest(), 0);
  }

  /// Makes the directory a backup.
  public void write(Disk backup) throws IOException {
    try (DiskFile file = backup.open(NEW)) {
      file.write(0, ByteBuffer.wrap(encode().toArray()));
      file.force();
    }
    backup.rename(NEW, FILE);
    backup.forceDirectory("");
  }

  /// @throws BackupRefusedException `NO_BACKUP`, `NEWER_FORMAT`, `DAMAGED`
  public static BackupManifest read(Path backup) throws IOException, BackupRefusedException {
    Path file = backup.resolve(FILE);
    if (!Files.isDirectory(backup) || Files.notExists(file)) { // not: one that may not be read
      throw new BackupRefusedException(
          Reason.NO_BACKUP, backup + " is no backup, or was not finished: it has no " + FILE);
    }
    if (Files.size(file) > BYTES_MAX) {
      throw new BackupRefusedException(Reason.DAMAGED, file + " is too large");
    }
    return new ManifestReader(file.toString(), Files.readAllBytes(file)).read();
  }

  Authority authority() {
    return keys.authority();
  }
}
