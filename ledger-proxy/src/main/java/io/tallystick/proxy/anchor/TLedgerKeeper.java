package io.tallystick.proxy.anchor;

import io.tallystick.crypto.PrivateKeyPem;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.ExportableSigner;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.durable.PrivateFile;
import io.tallystick.master.tledger.TLedgerFounding;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/// The files that a service keeps of its T-Ledger beside the ledger: `t-ledger/owner.pem`, the
/// writer's key, which a backup must hold; `t-ledger/genesis`, how it was founded;
/// `t-ledger/places.txt`, who took a place to submit; and `t-ledger/forks/`, evidence that
/// submitters gave of themselves.
final class TLedgerKeeper implements TLedgerFounding.Keeper {
  private static final long PEM_BYTES_MAX = 4096;

  private final Path directory;

  TLedgerKeeper(Path dataDirectory) throws IOException {
    directory = dataDirectory.resolve("t-ledger");
    PrivateFile.createDirectory(directory);
  }

  /// The writer's key, made on the first start.
  ///
  /// @throws IOException also if the file is open to others
  Signer owner(Signatures signatures) throws IOException {
    Path file = directory.resolve("owner.pem");
    if (Files.exists(file)) {
      return load(file, signatures);
    }
    if (Files.exists(directory.resolve("genesis"))) {
      throw new IOException(
          file + " is missing and is never made anew; restore it from your copy of the keys");
    }
    return make(file, signatures);
  }

  static Signer loadOrMake(Path file, Signatures signatures) throws IOException {
    return Files.exists(file) ? load(file, signatures) : make(file, signatures);
  }

  private static Signer make(Path file, Signatures signatures) throws IOException {
    ExportableSigner made = signatures.generate(SignatureAlgorithm.ED25519);
    byte[] pkcs8 = made.exportPkcs8();
    byte[] pem = PrivateKeyPem.encode(pkcs8);
    Arrays.fill(pkcs8, (byte) 0);
    try {
      write(file, pem);
    } finally {
      Arrays.fill(pem, (byte) 0);
    }
    return made;
  }

  static Signer load(Path file, Signatures signatures) throws IOException {
    Optional<String> open = PrivateFile.openToOthers(file);
    if (open.isPresent()) {
      throw new IOException(open.get());
    }
    if (Files.size(file) > PEM_BYTES_MAX) {
      throw new IOException(file + " is too large to be a key");
    }
    byte[] pem = Files.readAllBytes(file);
    byte[] pkcs8 = {};
    try {
      pkcs8 = PrivateKeyPem.decode(pem);
      return signatures.importPkcs8(pkcs8);
    } catch (MalformedException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    } finally {
      Arrays.fill(pem, (byte) 0);
      Arrays.fill(pkcs8, (byte) 0);
    }
  }

  @Override
  public Optional<Bytes> kept() {
    Path file = directory.resolve("genesis");
    try {
      return Files.exists(file)
          ? Optional.of(Bytes.wrap(Files.readAllBytes(file)))
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean keep(Optional<Bytes> before, Bytes request) {
    try {
      write(directory.resolve("genesis"), request.toArray());
      return true; // of one process
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Evidence of submitters' forks.
  Path forks() {
    return directory.resolve("forks");
  }

  /// Who took a place to submit.
  Path places() {
    return directory.resolve("places.txt");
  }

  /// On the disk when this returns.
  private static void write(Path file, byte[] content) throws IOException {
    PrivateFile.replace(file, content);
    PrivateFile.force(file.resolveSibling(""));
  }
}
