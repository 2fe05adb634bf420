package io.tallystick.server.backup;

import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.node.Backups;
import io.tallystick.server.backup.BackupManifest.Part;
import io.tallystick.server.backup.BackupRefusedException.Reason;
import io.tallystick.server.keys.RecordedKeys;
import io.tallystick.storage.disk.DiskName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Reads a manifest, of which nothing is believed before its last line fits the others. Source:
/// docs/formats/backup.md.
final class ManifestReader {
  static final String MAGIC = "tallystick-backup";
  static final String SUM = "sum";

  private final String file;
  private final byte[] bytes;
  private final List<String> lines;
  private int next;

  /// @param file to be named when it is refused
  ManifestReader(String file, byte[] bytes) {
    this.file = file;
    this.bytes = bytes;
    this.lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
  }

  /// @throws BackupRefusedException `NEWER_FORMAT`, `DAMAGED`
  BackupManifest read() throws BackupRefusedException {
    checkVersion();
    checkSum();
    try {
      return readLines();
    } catch (IllegalArgumentException e) {
      throw new BackupRefusedException(
          Reason.DAMAGED,
          String.format(Locale.ROOT, "%s: line %d: %s", file, next, e.getMessage()),
          e);
    }
  }

  private void checkVersion() throws BackupRefusedException {
    String first = lines.isEmpty() ? "" : lines.getFirst();
    String known = MAGIC + " " + BackupManifest.VERSION;
    if (first.equals(known) || first.equals(MAGIC + " " + BackupManifest.VERSION_WITHOUT_NOTES)) {
      return;
    }
    if (first.matches(MAGIC + " [1-9][0-9]{0,8}")) {
      throw new BackupRefusedException(
          Reason.NEWER_FORMAT,
          String.format(
              Locale.ROOT,
              "%s is of format %s, this software reads %d",
              file,
              first.substring(MAGIC.length() + 1),
              BackupManifest.VERSION));
    }
    throw damaged("does not begin with " + known);
  }

  private void checkSum() throws BackupRefusedException {
    String last = lines.getLast();
    int covered = bytes.length - last.getBytes(StandardCharsets.UTF_8).length - 1;
    if (covered < 0
        || bytes[bytes.length - 1] != '\n'
        || !last.equals(SUM + " " + BackupManifest.sha256(bytes, covered))) {
      throw damaged("its sum is not that of its lines");
    }
  }

  private BackupRefusedException damaged(String detail) {
    return new BackupRefusedException(Reason.DAMAGED, file + ": " + detail);
  }

  private BackupManifest readLines() {
    next = 1;
    long takenMs = number(one("taken"));
    boolean last = choice(one("last"), "yes", "no");
    Authority authority = new Authority(one("authority"));
    List<RecordedKeys.Ids> pairs = new ArrayList<>();
    for (String pair : all("keys")) {
      String[] kids = words(pair, 2);
      pairs.add(new RecordedKeys.Ids(Digest.fromHex(kids[0]), Digest.fromHex(kids[1])));
    }
    String[] frames = words(one("frames"), 2);
    List<Long> damaged = all("damaged").stream().map(ManifestReader::number).toList();
    List<Backups.Head> heads = all("ledger").stream().map(ManifestReader::head).toList();
    List<Part> parts = all("part").stream().map(ManifestReader::part).toList();
    if (next != lines.size() - 1) {
      throw new IllegalArgumentException("unknown: " + lines.get(next));
    }
    return new BackupManifest(
        takenMs,
        last,
        number(frames[0]),
        number(frames[1]),
        new RecordedKeys(authority, pairs),
        heads,
        damaged,
        parts);
  }

  private String one(String word) {
    String line = lines.get(next++);
    if (!line.startsWith(word + " ")) {
      throw new IllegalArgumentException("want " + word);
    }
    return line.substring(word.length() + 1);
  }

  private List<String> all(String word) {
    List<String> found = new ArrayList<>();
    while (lines.get(next).startsWith(word + " ")) {
      found.add(one(word));
    }
    return found;
  }

  private static String[] words(String text, int count) {
    String[] words = text.split(" ", count);
    if (words.length != count) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "%d words, want %d", words.length, count));
    }
    return words;
  }

  private static long number(String word) {
    long number = Long.parseLong(word);
    if (number < 0) {
      throw new IllegalArgumentException("negative: " + word);
    }
    return number;
  }

  private static boolean choice(String word, String yes, String no) {
    if (!word.equals(yes) && !word.equals(no)) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "%s, want %s or %s", word, yes, no));
    }
    return word.equals(yes);
  }

  private static Backups.Head head(String text) {
    String[] words = words(text, 6);
    return new Backups.Head(
        LedgerId.fromHex(words[0]),
        number(words[1]),
        number(words[2]),
        Digest.fromHex(words[3]),
        choice(words[4], "witnessed", "plain"),
        words[5]);
  }

  /// Only what a backup has: nothing else comes into a data directory.
  private static Part part(String text) {
    String[] words = words(text, 3);
    String name = DiskName.checkFile(words[0]);
    if (!name.equals(RowFile.NAME) && !BackupFiles.isOne(name)) {
      throw new IllegalArgumentException("a backup has no file " + name);
    }
    return new Part(name, number(words[1]), Digest.fromHex(words[2]));
  }
}
