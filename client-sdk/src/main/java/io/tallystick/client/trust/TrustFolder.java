package io.tallystick.client.trust;

import io.tallystick.client.TrustStoreException;
import io.tallystick.durable.DurableFile;
import io.tallystick.durable.FileSteps;
import io.tallystick.durable.LocalFileSteps;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// What one client keeps of one ledger, in `<trust directory>/<ledgerId>/`:
///
/// - `genesis`: the encoded GenesisParams, whose hash is the ledgerId; they name the service's
///   keys.
/// - `head-<strand>`: the newest trusted head as the signed statement itself, a COSE_Sign1 or a
///   C2SP note, in one of two slots ({@link HeadFile}).
/// - `evidence-*.json`: what was refused, and why.
///
/// The other files are replaced as a whole. All are forced. Thread-safe, also against other
/// processes.
public final class TrustFolder {
  private static final String GENESIS = "genesis";

  private final Path directory;
  private final FileSteps steps;

  private TrustFolder(Path directory, FileSteps steps) {
    this.directory = directory;
    this.steps = steps;
  }

  /// Touches nothing; the folder is made when something is first kept.
  public static TrustFolder open(Path trustDirectory, LedgerId ledger) {
    return open(trustDirectory, ledger, new LocalFileSteps());
  }

  static TrustFolder open(Path trustDirectory, LedgerId ledger, FileSteps steps) {
    return new TrustFolder(trustDirectory.resolve(ledger.hex()), steps);
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

  public Optional<Bytes> genesis() throws TrustStoreException {
    return read(file(GENESIS));
  }

  /// The caller has checked that `params` hash to the pinned ledgerId.
  public void saveGenesis(Bytes params) throws TrustStoreException {
    replace(file(GENESIS), params);
  }

  /// @throws TrustStoreException also if the file is damaged
  Optional<Bytes> head(HeadFile file) throws TrustStoreException {
    try {
      return file.read();
    } catch (MalformedException _) {
      // Perhaps another process is writing it; not so under the lock.
      return locked("read", file, file::read);
    } catch (IOException e) {
      throw failed("read", file.path(), e);
    }
  }

  /// What another process has put there, on the disk for certain.
  Optional<Bytes> adoptHead(HeadFile file) throws TrustStoreException {
    return locked("write", file, file::adopt);
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
    try (FolderLock _ = lock()) {
      return task.run();
    } catch (IOException e) {
      throw failed(verb, file.path(), e);
    } catch (MalformedException e) {
      throw new TrustStoreException(file.path() + " is damaged: " + e.getMessage(), e);
    }
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
    try (FolderLock _ = lock()) {
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
