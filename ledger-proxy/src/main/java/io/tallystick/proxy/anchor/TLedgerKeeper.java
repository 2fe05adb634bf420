package io.tallystick.proxy.anchor;

import io.tallystick.crypto.PrivateKeyPem;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.ExportableSigner;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.ForkEvidence;
import io.tallystick.master.tledger.TLedgerFounding;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a service keeps of its T-Ledger beside the ledger: `t-ledger/owner.pem`, the writer's key,
/// which a backup must hold; `t-ledger/genesis`, how it was founded; and `t-ledger/forks/`,
/// evidence that submitters gave of themselves.
final class TLedgerKeeper implements TLedgerFounding.Keeper {
  private static final Logger LOG = LoggerFactory.getLogger(TLedgerKeeper.class);

  private final Path directory;

  TLedgerKeeper(Path dataDirectory) throws IOException {
    directory = dataDirectory.resolve("t-ledger");
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  /// The writer's key, made on the first start.
  Signer owner(Signatures signatures) throws IOException {
    Path file = directory.resolve("owner.pem");
    if (Files.exists(file)) {
      try {
        return signatures.importPkcs8(PrivateKeyPem.decode(Files.readAllBytes(file)));
      } catch (MalformedException e) {
        throw new IOException(file + " is " + e.getMessage(), e);
      }
    }
    if (Files.exists(directory.resolve("genesis"))) {
      throw new IOException(file + " is missing and is never made anew; restore it from a backup");
    }
    ExportableSigner made = signatures.generate(SignatureAlgorithm.ED25519);
    write(file, PrivateKeyPem.encode(made.exportPkcs8()));
    return made;
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
  public void keep(Bytes request) {
    try {
      write(directory.resolve("genesis"), request.toArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void keepFork(LedgerId submitter, ForkEvidence evidence) {
    Bytes encoded = evidence.encode();
    Path file =
        directory
            .resolve("forks")
            .resolve(submitter + "-" + Sha256.hash(encoded.toArray()).hex() + ".evidence");
    try {
      Files.createDirectories(directory.resolve("forks"));
      write(file, encoded.toArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    LOG.error("ledger {} submitted a head that contradicts its last one: {}", submitter, file);
  }

  /// Written aside and renamed; on the disk when this returns.
  private void write(Path file, byte[] content) throws IOException {
    Path aside = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(aside);
    try (FileChannel out =
        FileChannel.open(
            aside,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel entries = FileChannel.open(file.resolveSibling(""), StandardOpenOption.READ)) {
      entries.force(true);
    }
  }
}
