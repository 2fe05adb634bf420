package io.tallystick.client.trust;

import io.tallystick.client.failure.TrustStoreException;
import io.tallystick.durable.DurableFile;
import io.tallystick.durable.FileSteps;
import io.tallystick.durable.LocalFileSteps;
import io.tallystick.journal.Commitments;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The folder in which a client keeps its trust in one ledger, `<trust directory>/<ledgerId>/`:
///
/// - `genesis`: the encoded GenesisParams, whose hash is the ledgerId; they name the service's
///   first keys.
/// - `key-chain`: how they were rotated since; absent as long as no rotation was met.
/// - `genesis-pending`: the same, as long as no head was ever stored; it becomes `genesis` then. So
///   a `genesis` without a head says that the head was taken away.
/// - `head-<strand>`: the newest trusted head as the signed statement itself, a COSE_Sign1 or a
///   C2SP note, in one of two slots ({@link HeadFile}).
/// - `anchors-<strand>`: the heads that the user has set as trusted anchors, as statements.
/// - `evidence-*.json`: what was refused, and why.
///
/// The other files are replaced as a whole. All are forced. Thread-safe, also against other
/// processes.
@SuppressWarnings("try") // a lock is held, not used
public final class TrustFolder {
  private static final String GENESIS = "genesis";
  private static final String PENDING = "genesis-pending";
  private static final String KEY_CHAIN = "key-chain";

  private final LedgerId ledger;
  private final Path directory;
  private final FileSteps steps;

  private TrustFolder(LedgerId ledger, Path directory, FileSteps steps) {
    this.ledger = ledger;
    this.directory = directory;
    this.steps = steps;
  }

  /// Touches nothing; the folder is made when something is first kept.
  public static TrustFolder open(Path trustDirectory, LedgerId ledger) {
    return open(trustDirectory, ledger, new LocalFileSteps());
  }

  static TrustFolder open(Path trustDirectory, LedgerId ledger, FileSteps steps) {
    return new TrustFolder(ledger, trustDirectory.resolve(ledger.hex()), steps);
  }

  private void make() throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory);
      steps.forceDirectory(directory.resolveSibling("."));
    }
  }

  public Path directory() {
    return directory;
  }

  /// @throws TrustStoreException also if it is not what the ledgerId is the hash of
  public Optional<Bytes> genesis() throws TrustStoreException {
    // In this order: another process may rename the one to the other meanwhile, never back.
    Optional<Bytes> pending = readGenesis(file(PENDING));
    return pending.isPresent() ? pending : readGenesis(file(GENESIS));
  }

  private Optional<Bytes> readGenesis(DurableFile file) throws TrustStoreException {
    Optional<Bytes> params = read(file);
    if (params.isPresent()) {
      LedgerId actual = Commitments.ledgerId(params.get());
      if (!actual.equals(ledger)) {
        throw new TrustStoreException(
            String.format(
                Locale.ROOT,
                "%s is damaged: it is the genesis of ledger %s, want %s",
                file.path(),
                actual,
                ledger));
      }
    }
    return params;
  }

  /// Before the first head is stored. The caller has checked that `params` hash to the pinned
  /// ledgerId.
  public void saveGenesis(Bytes params) throws TrustStoreException {
    replace(file(PENDING), params);
  }

  /// As it was stored, not verified.
  Optional<Bytes> keyChain() throws TrustStoreException {
    return read(file(KEY_CHAIN));
  }

  /// Replaces the key chain if the file still holds `expected`.
  ///
  /// @return whether it did; if not, another process has written it
  boolean replaceKeyChain(Optional<Bytes> expected, Bytes next) throws TrustStoreException {
    DurableFile file = file(KEY_CHAIN);
    try (FolderLock held = lock()) {
      if (!file.read().equals(expected)) {
        return false;
      }
      file.replace(next);
      return true;
    } catch (IOException e) {
      throw failed("write", file.path(), e);
    }
  }

  /// To be called once a head is stored: from now on one that is missing was taken away.
  void headIsStored() throws TrustStoreException {
    Path pending = file(PENDING).path();
    if (Files.notExists(pending)) {
      return;
    }
    try (FolderLock held = lock()) {
      // Another process may have been here meanwhile.
      if (steps.read(pending).isPresent()) {
        steps.rename(pending, file(GENESIS).path());
        steps.forceDirectory(directory);
      }
    } catch (IOException e) {
      throw failed("write", pending, e);
    }
  }

  /// @throws TrustStoreException also if the file is damaged, or is missing though there was one
  Optional<Bytes> head(HeadFile file) throws TrustStoreException {
    boolean expected = headExpected();
    Optional<Bytes> head;
    try {
      head = file.read();
    } catch (MalformedException ignored) {
      // Perhaps another process is writing it; not so under the lock.
      head = locked("read", file, file::read);
    } catch (IOException e) {
      throw failed("read", file.path(), e);
    }
    return present(head, expected, file);
  }

  /// The head that another process has put there, on the disk for certain.
  Optional<Bytes> adoptHead(HeadFile file) throws TrustStoreException {
    boolean expected = headExpected();
    return present(locked("write", file, file::adopt), expected, file);
  }

  /// To be asked before the head is looked at: a head is stored first.
  private boolean headExpected() {
    return Files.exists(file(GENESIS).path());
  }

  private Optional<Bytes> present(Optional<Bytes> head, boolean expected, HeadFile file)
      throws TrustStoreException {
    if (head.isEmpty() && expected) {
      throw new TrustStoreException(
          String.format(
              Locale.ROOT,
              "%s is missing beside %s: the head trusted before is lost, and with it the protection"
                  + " against a rollback. Put both back from a backup, or remove the folder to"
                  + " trust this ledger anew",
              file.path(),
              file(GENESIS).path().getFileName()));
    }
    return head;
  }

  /// For a caller that finds no genesis.
  ///
  /// @throws TrustStoreException if there is a head all the same
  void checkNoHead(HeadFile file) throws TrustStoreException {
    // Another process may have met the ledger since.
    if (Files.exists(file.path()) && genesis().isEmpty()) {
      throw new TrustStoreException(
          String.format(
              Locale.ROOT,
              "%s is missing beside %s: nothing says by whose keys that head is to be judged",
              file(GENESIS).path(),
              file.path().getFileName()));
    }
  }

  /// Replaces the head if the file still holds `expected`.
  ///
  /// @return whether it did; if not, another process has moved it
  boolean replaceHead(HeadFile file, Optional<Bytes> expected, Bytes next)
      throws TrustStoreException {
    return locked("write", file, () -> file.replace(expected, next));
  }

  @FunctionalInterface
  private interface HeadTask<T> {
    T run() throws IOException, MalformedException;
  }

  private <T> T locked(String verb, HeadFile file, HeadTask<T> task) throws TrustStoreException {
    try (FolderLock held = lock()) {
      return task.run();
    } catch (IOException e) {
      throw failed(verb, file.path(), e);
    } catch (MalformedException e) {
      throw new TrustStoreException(file.path() + " is damaged: " + e.getMessage(), e);
    }
  }

  /// The statements that are kept as anchors of a strand, ascending by size.
  List<Bytes> anchors(StrandId strand) throws TrustStoreException {
    return decodeAnchors(file("anchors-" + strand.strand()));
  }

  private static List<Bytes> decodeAnchors(DurableFile file) throws TrustStoreException {
    Optional<Bytes> content = read(file);
    try {
      return content.isEmpty() ? List.of() : AnchorFile.decode(content.get());
    } catch (MalformedException e) {
      throw new TrustStoreException(file.path() + " is damaged: " + e.getMessage(), e);
    }
  }

  @FunctionalInterface
  interface AnchorChange {
    List<Bytes> of(List<Bytes> statements) throws TrustStoreException;
  }

  /// Replaces the anchors of a strand by what `change` makes of them.
  void changeAnchors(StrandId strand, AnchorChange change) throws TrustStoreException {
    DurableFile file = file("anchors-" + strand.strand());
    try (FolderLock held = lock()) {
      file.replace(AnchorFile.encode(change.of(decodeAnchors(file))));
    } catch (IOException e) {
      throw failed("write", file.path(), e);
    }
  }

  Path anchorPath(StrandId strand) {
    return file("anchors-" + strand.strand()).path();
  }

  /// Keeps what a refusal was based on.
  Path saveEvidence(String name, Bytes content) throws TrustStoreException {
    DurableFile file = file(name);
    replace(file, content);
    return file.path();
  }

  private FolderLock lock() throws IOException {
    make();
    return FolderLock.acquire(directory);
  }

  HeadFile headFile(StrandId strand) {
    return new HeadFile(steps, directory, "head-" + strand.strand());
  }

  private DurableFile file(String name) {
    return new DurableFile(steps, directory, name);
  }

  private static Optional<Bytes> read(DurableFile file) throws TrustStoreException {
    try {
      return file.read();
    } catch (IOException e) {
      throw failed("read", file.path(), e);
    }
  }

  private void replace(DurableFile file, Bytes content) throws TrustStoreException {
    try (FolderLock held = lock()) {
      file.replace(content);
    } catch (IOException e) {
      throw failed("write", file.path(), e);
    }
  }

  private static TrustStoreException failed(String verb, Path path, IOException cause) {
    return new TrustStoreException(
        "cannot " + verb + " " + path + ": " + cause.getMessage(), cause);
  }
}
