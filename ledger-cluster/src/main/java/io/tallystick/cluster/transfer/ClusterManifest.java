package io.tallystick.cluster.transfer;

import io.tallystick.crypto.Sha256;
import io.tallystick.durable.PrivateFile;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.tledger.TLedgerFounding;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Utf8;
import io.tallystick.server.backup.BackupRefusedException;
import io.tallystick.server.backup.BackupRefusedException.Reason;
import io.tallystick.storage.replicated.ClusterPaths;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What a backup of a cluster has: the file `cluster`, lines of text, written last. Source:
/// `docs/formats/backup.md`.
///
/// @param takenMs when it was begun, by the machine's clock
/// @param cluster its name
/// @param pairs of service keys that it lists
/// @param present the pair that new ledgers name
/// @param shards how many it has
/// @param tLedger the request that founds its T-Ledger; empty if it has none
/// @param backups SHA-256 of the manifest of each shard that has a stream
record ClusterManifest(
    long takenMs,
    String cluster,
    Authority authority,
    List<KeyPairKids> pairs,
    KeyPairKids present,
    int shards,
    Optional<Bytes> tLedger,
    SortedMap<Integer, Digest> backups) {
  static final String FILE = "cluster";

  private static final String MAGIC = "tallystick-cluster-backup";
  private static final int VERSION = 1;
  private static final int BYTES_MAX = 16 << 20;

  ClusterManifest {
    pairs = List.copyOf(pairs);
    backups = new TreeMap<>(backups);
  }

  /// The folder of a shard's backup.
  static String folder(int shard) {
    return String.format(Locale.ROOT, "shard-%05d", shard);
  }

  private String lines() {
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "%s %d%n", MAGIC, VERSION));
    text.append(String.format(Locale.ROOT, "taken %d%n", takenMs));
    text.append(String.format(Locale.ROOT, "cluster %s%n", cluster));
    text.append(String.format(Locale.ROOT, "authority %s%n", authority.value()));
    for (KeyPairKids pair : pairs) {
      text.append(String.format(Locale.ROOT, "keys %s %s%n", pair.note(), pair.receipt()));
    }
    text.append(String.format(Locale.ROOT, "present %d%n", pairs.indexOf(present)));
    text.append(String.format(Locale.ROOT, "shards %d%n", shards));
    tLedger.ifPresent(
        request -> text.append(String.format(Locale.ROOT, "t-ledger %s%n", request.hex())));
    backups.forEach((shard, manifest) ->
        text.append(String.format(Locale.ROOT, "shard %d %s%n", shard, manifest)));
    return text.toString().replace(System.lineSeparator(), "\n");
  }

  void write(Path folder) throws IOException {
    String lines = lines();
    String all = lines + "sum " + Sha256.hash(Utf8.encode(lines)) + "\n";
    PrivateFile.replace(folder.resolve(FILE), Utf8.encode(all));
  }

  /// @throws BackupRefusedException `NO_BACKUP`, `NEWER_FORMAT`, `DAMAGED`
  static ClusterManifest read(Path folder) throws IOException, BackupRefusedException {
    Path file = folder.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      throw new BackupRefusedException(
          Reason.NO_BACKUP, folder + " is no backup of a cluster: it has no file " + FILE);
    }
    if (Files.size(file) > BYTES_MAX) {
      throw new BackupRefusedException(Reason.DAMAGED, file + " is too large");
    }
    try {
      return new Lines(Utf8.decode(Files.readAllBytes(file))).read();
    } catch (MalformedException | CharacterCodingException | IllegalArgumentException e) {
      throw new BackupRefusedException(Reason.DAMAGED, file + " is damaged: " + e.getMessage(), e);
    }
  }

  /// Reads one line after the other.
  private static final class Lines {
    private final List<String> lines;
    private int next;

    Lines(String text) throws BackupRefusedException {
      int sum = text.lastIndexOf("sum ");
      String first = text.lines().findFirst().orElse("");
      if (first.startsWith(MAGIC + " ") && !first.equals(MAGIC + " " + VERSION)) {
        throw new BackupRefusedException(
            Reason.NEWER_FORMAT,
            String.format(
                Locale.ROOT, "it is of format %s, this software reads %d", first, VERSION));
      }
      if (sum < 0
          || !text.substring(sum)
              .equals("sum " + Sha256.hash(Utf8.encode(text.substring(0, sum))) + "\n")) {
        throw new IllegalArgumentException("its sum is wrong");
      }
      this.lines = text.substring(0, sum).lines().toList();
    }

    private boolean is(String word) {
      return next < lines.size() && lines.get(next).startsWith(word + " ");
    }

    private String line(String word) throws MalformedException {
      if (!is(word)) {
        throw new MalformedException("line " + (next + 1) + " is not of " + word);
      }
      return lines.get(next++).substring(word.length() + 1);
    }

    ClusterManifest read() throws MalformedException {
      String _ = line(MAGIC);
      long taken = Long.parseLong(line("taken"));
      String cluster = line("cluster");
      if (!ClusterPaths.isName(cluster)) {
        throw new MalformedException("no name of a cluster");
      }
      Authority authority = Authority.parse(line("authority"));
      List<KeyPairKids> pairs = new ArrayList<>();
      while (is("keys")) {
        String[] kids = line("keys").split(" ", -1);
        pairs.add(new KeyPairKids(Digest.fromHex(kids[0]), Digest.fromHex(kids[kids.length - 1])));
      }
      int present = Integer.parseInt(line("present"));
      int shards = Integer.parseInt(line("shards"));
      Optional<Bytes> tLedger = Optional.empty();
      if (is("t-ledger")) {
        tLedger = Optional.of(Bytes.wrap(HexFormat.of().parseHex(line("t-ledger"))));
        LedgerId _ = TLedgerFounding.idOf(tLedger.get());
      }
      SortedMap<Integer, Digest> backups = new TreeMap<>();
      while (is("shard")) {
        String[] words = line("shard").split(" ", -1);
        backups.put(Integer.parseInt(words[0]), Digest.fromHex(words[words.length - 1]));
      }
      if (next != lines.size()
          || present < 0
          || present >= pairs.size()
          || (!backups.isEmpty() && (backups.firstKey() < 0 || backups.lastKey() >= shards))) {
        throw new MalformedException("numbers that do not fit");
      }
      return new ClusterManifest(
          taken, cluster, authority, pairs, pairs.get(present), shards, tLedger, backups);
    }
  }
}
