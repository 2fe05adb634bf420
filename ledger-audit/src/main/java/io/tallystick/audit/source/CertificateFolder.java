package io.tallystick.audit.source;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.durable.PlainFile;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.Optional;

/// Certificate chains as files in PEM, each named by its digest: what an export writes beside a
/// log. Source: `docs/formats/log-copy.md`, "Certificates beside a log".
public record CertificateFolder(Path folder) implements CertificateSource {
  /// The certificate chains of an export, in a folder below that of the log.
  public static CertificateFolder beside(Path log) {
    return new CertificateFolder(log.resolve("certificates"));
  }

  private Path file(Digest certDigest) {
    return folder.resolve(certDigest.hex() + ".pem");
  }

  @Override
  public Optional<CertificateChain> chain(Digest certDigest)
      throws IOException, MalformedException {
    try (InputStream in = PlainFile.open(file(certDigest))) {
      return Optional.of(
          CertificateChain.ofPem(Bytes.wrap(in.readNBytes(CertificateChain.PEM_BYTES_MAX + 1))));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  /// Writes what a source has; what is here stays, and what is not a chain there is left out: an
  /// audit says so.
  ///
  /// @return how many of them are here now
  public int add(Collection<Digest> certDigests, CertificateSource from) throws IOException {
    int here = 0;
    for (Digest each : certDigests) {
      Path file = file(each);
      if (!Files.exists(file)) {
        try {
          Optional<CertificateChain> chain = from.chain(each);
          if (chain.isEmpty()) {
            continue;
          }
          write(file, chain.get());
        } catch (MalformedException _) {
          continue;
        }
      }
      here++;
    }
    return here;
  }

  private void write(Path file, CertificateChain chain) throws IOException {
    Files.createDirectories(folder);
    Path draft = folder.resolve(file.getFileName() + ".new");
    Files.writeString(draft, chain.pem());
    Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING);
  }
}
