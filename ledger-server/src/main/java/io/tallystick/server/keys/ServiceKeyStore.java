package io.tallystick.server.keys;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.ExportableSigner;
import io.tallystick.durable.PrivateFile;
import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.storage.meta.MetaStore;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/// The service's pairs of keys on disk. The first pair is `keys/note.pem` and `keys/receipt.pem`
/// under the data directory, created before the first ledger. Each further pair has a folder of its
/// own, `keys/KID/`, named by the kid of its receipt key. A pair that is recorded in the meta store
/// is never made anew: with other keys its ledgers would be orphaned, so a missing or different key
/// is an error that an operator must mend from a backup. A folder that is not recorded is a pair
/// that no ledger uses; it is recorded when an owner first asks for it.
public final class ServiceKeyStore {
  private static final Pattern PAIR_FOLDER = Pattern.compile("[0-9a-f]{64}");

  private final Path directory;
  private final boolean given;
  private final PairRows rows;
  private final Signatures signatures;

  /// @param directory for the key files; created with mode 0700
  public ServiceKeyStore(Path directory, MetaStore meta, Signatures signatures) {
    this(directory, false, meta, signatures);
  }

  private ServiceKeyStore(Path directory, boolean given, MetaStore meta, Signatures signatures) {
    this.directory = directory;
    this.given = given;
    this.rows = new PairRows(meta);
    this.signatures = signatures;
  }

  /// Keys that somebody else puts into a folder, in which nothing is ever written, also on the very
  /// first start.
  public static ServiceKeyStore given(Path directory, MetaStore meta, Signatures signatures) {
    return new ServiceKeyStore(directory, true, meta, signatures);
  }

  /// Opens the pairs that a cluster lists, from a folder in which nothing is ever written. They are
  /// recorded for backups alone: whoever takes a shard over has another meta store. A pair that is
  /// in the folder and not listed is none: other servers may lack it.
  ///
  /// @param listed asked again when a key is wanted that is not known
  /// @throws ServiceKeysException if a listed pair is missing, unreadable or open to others
  public static ServicePairs openListed(
      Path directory,
      Authority authority,
      ListedPairs listed,
      MetaStore meta,
      Signatures signatures)
      throws IOException, ServiceKeysException {
    List<ServicePair> pairs = listed(directory, listed.receiptKids(), signatures);
    record(new PairRows(meta), authority, kids(loadGivenPair(directory, signatures)), pairs);
    return new ServicePairs(
        authority, pairs, _ -> listed(directory, listed.receiptKids(), signatures));
  }

  /// @param first of the folder, which is recorded first
  private static void record(
      PairRows rows, Authority authority, PairRows.Pair first, List<ServicePair> pairs)
      throws IOException, ServiceKeysException {
    PairRows.Identity recorded = rows.read();
    if (recorded == null) {
      rows.found(authority, first);
      recorded = new PairRows.Identity(authority, List.of(first));
    }
    List<PairRows.Pair> missing =
        new ArrayList<>(pairs.stream().map(ServiceKeyStore::kids).toList());
    missing.removeAll(recorded.pairs());
    if (!missing.isEmpty()) {
      rows.add(recorded.pairs().size(), missing);
    }
  }

  private static List<ServicePair> listed(
      Path directory, List<Digest> receiptKids, Signatures signatures)
      throws IOException, ServiceKeysException {
    Map<Digest, ServicePair> held = new HashMap<>();
    for (ServicePair pair : loadGivenPairs(directory, signatures)) {
      held.put(pair.receiptKey().publicKey().kid(), pair);
    }
    List<ServicePair> pairs = new ArrayList<>();
    for (Digest kid : receiptKids) {
      ServicePair pair = held.get(kid);
      if (pair == null) {
        throw new ServiceKeysException(
            "the cluster lists the pair with receipt key "
                + kid
                + ", and "
                + directory
                + " does not hold it");
      }
      pairs.add(pair);
    }
    return pairs;
  }

  /// Opens all recorded pairs, creating the first on the very first start.
  ///
  /// @param authority written on the first start; later starts keep the recorded one
  /// @throws ServiceKeysException if keys are missing, unreadable, open to others or not the
  ///   recorded ones
  public ServicePairs open(Authority authority) throws IOException, ServiceKeysException {
    PairRows.Identity recorded = rows.read();
    if (recorded == null) {
      return create(authority);
    }
    List<ServicePair> pairs = new ArrayList<>();
    for (PairRows.Pair kids : recorded.pairs()) {
      Path folder = pairs.isEmpty() ? directory : folder(directory, kids.receiptKid());
      pairs.add(new KeyFolder(folder, signatures).load(kids.noteKid(), kids.receiptKid()));
    }
    return new ServicePairs(recorded.authority(), pairs, this::unknown);
  }

  /// A key file without an identity row is from a first start that was cut short: nothing was
  /// signed with it, and nothing is lost by taking it.
  private ServicePairs create(Authority authority) throws IOException, ServiceKeysException {
    if (rows.hasSavepoint()) {
      throw new ServiceKeysException(
          "the meta store holds ledgers but no service identity; restore it from a backup");
    }
    KeyFolder files = new KeyFolder(directory, signatures);
    ServicePair pair;
    if (given) {
      pair = files.loadGiven();
    } else {
      PrivateFile.createDirectory(directory);
      pair =
          new ServicePair(
              files.createOrLoad(KeyFolder.NOTE), files.createOrLoad(KeyFolder.RECEIPT));
      PrivateFile.force(directory);
    }
    rows.found(authority, kids(pair));
    return new ServicePairs(authority, List.of(pair), this::unknown);
  }

  private static PairRows.Pair kids(ServicePair pair) {
    return new PairRows.Pair(pair.noteKey().publicKey().kid(), pair.receiptKey().publicKey().kid());
  }

  private static Path folder(Path directory, Digest receiptKid) {
    return directory.resolve(receiptKid.hex());
  }

  /// Reads the folders that {@link #makePair} has made since the last look, and records their
  /// pairs.
  private List<ServicePair> unknown(ServicePairs known) throws IOException, ServiceKeysException {
    List<ServicePair> found = new ArrayList<>();
    try (DirectoryStream<Path> folders =
        Files.newDirectoryStream(directory, ServiceKeyStore::isPair)) {
      for (Path folder : folders) {
        Digest receiptKid = Digest.fromHex(folder.getFileName().toString());
        if (!known.holdsReceiptKey(receiptKid)) {
          KeyFolder files = new KeyFolder(folder, signatures);
          found.add(
              new ServicePair(
                  files.load(KeyFolder.NOTE), files.load(KeyFolder.RECEIPT, receiptKid)));
        }
      }
    }
    if (!found.isEmpty()) {
      // Whoever renamed a folder may have died before it forced the name.
      PrivateFile.force(directory);
      int recorded = Objects.requireNonNull(rows.read()).pairs().size();
      rows.add(recorded, found.stream().map(ServiceKeyStore::kids).toList());
    }
    return found;
  }

  private static boolean isPair(Path entry) {
    return PAIR_FOLDER.matcher(entry.getFileName().toString()).matches();
  }

  /// The first pair of a folder that is given to a service.
  ///
  /// @throws ServiceKeysException if keys are missing, unreadable or open to others
  public static ServicePair loadGivenPair(Path directory, Signatures signatures)
      throws IOException, ServiceKeysException {
    return new KeyFolder(directory, signatures).loadGiven();
  }

  /// All pairs of a folder that is given to a service, the first one first.
  ///
  /// @throws ServiceKeysException if keys are missing, unreadable or open to others
  public static List<ServicePair> loadGivenPairs(Path directory, Signatures signatures)
      throws IOException, ServiceKeysException {
    List<ServicePair> pairs = new ArrayList<>();
    pairs.add(loadGivenPair(directory, signatures));
    try (DirectoryStream<Path> folders =
        Files.newDirectoryStream(directory, ServiceKeyStore::isPair)) {
      for (Path folder : folders) {
        KeyFolder files = new KeyFolder(folder, signatures);
        Digest receiptKid = Digest.fromHex(folder.getFileName().toString());
        pairs.add(
            new ServicePair(files.load(KeyFolder.NOTE), files.load(KeyFolder.RECEIPT, receiptKid)));
      }
    }
    return pairs;
  }

  /// Makes the first pair of a folder that is then given to a service.
  ///
  /// @param directory made with mode 0700 if there is none
  /// @throws ServiceKeysException if a key is there; nothing is overwritten
  public static ServicePair makeFirstPair(Path directory, Signatures signatures)
      throws IOException, ServiceKeysException {
    for (String name : new String[] {KeyFolder.NOTE, KeyFolder.RECEIPT}) {
      if (Files.exists(directory.resolve(name))) {
        throw new ServiceKeysException(
            directory.resolve(name) + " is there without the other key of its pair");
      }
    }
    ExportableSigner note = signatures.generate(SignatureAlgorithm.ED25519);
    ExportableSigner receipt = signatures.generate(SignatureAlgorithm.ED25519);
    PrivateFile.createDirectory(directory);
    KeyFolder files = new KeyFolder(directory, signatures);
    files.write(KeyFolder.NOTE, note);
    files.write(KeyFolder.RECEIPT, receipt);
    PrivateFile.force(directory);
    return new ServicePair(note, receipt);
  }

  /// Whether a folder holds a first pair.
  public static boolean holdsPair(Path directory) {
    return Files.exists(directory.resolve(KeyFolder.NOTE))
        && Files.exists(directory.resolve(KeyFolder.RECEIPT));
  }

  /// Makes a further pair, which the service finds when it is next asked for a rotation. The
  /// service may run meanwhile. Written aside and renamed: a half-made folder is none.
  ///
  /// @param directory where the first pair is
  /// @throws ServiceKeysException if no service ever started there
  public static ServicePair makePair(Path directory, Signatures signatures)
      throws IOException, ServiceKeysException {
    if (!Files.exists(directory.resolve(KeyFolder.RECEIPT))) {
      throw new ServiceKeysException(
          directory + " holds no service keys; the service makes the first pair when it starts");
    }
    ExportableSigner note = signatures.generate(SignatureAlgorithm.ED25519);
    ExportableSigner receipt = signatures.generate(SignatureAlgorithm.ED25519);
    Path folder = folder(directory, receipt.publicKey().kid());
    Path aside = directory.resolve(folder.getFileName() + ".new");
    PrivateFile.createDirectory(aside);
    KeyFolder files = new KeyFolder(aside, signatures);
    files.write(KeyFolder.NOTE, note);
    files.write(KeyFolder.RECEIPT, receipt);
    PrivateFile.force(aside);
    Files.move(aside, folder, StandardCopyOption.ATOMIC_MOVE);
    PrivateFile.force(directory);
    return new ServicePair(note, receipt);
  }
}
