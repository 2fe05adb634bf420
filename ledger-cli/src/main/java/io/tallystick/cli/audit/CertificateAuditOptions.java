package io.tallystick.cli.audit;

import io.tallystick.audit.options.CertificateOptions;
import io.tallystick.audit.source.CertificateFolder;
import io.tallystick.audit.source.CertificateSource;
import io.tallystick.certificate.ChainVerifier;
import io.tallystick.cli.option.CertificateFiles;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.UsageException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// By whom `tally audit` has the names of members told.
final class CertificateAuditOptions {
  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description =
          "Certificates in PEM: those that a grant names must lead to one of them, at the grant's "
              + "time. Repeat it for more files. Get them from the authority, not from the ledger's "
              + "operator. Default: they are counted, not judged")
  private List<Path> authorities = List.of();

  @Option(
      names = "--certificates",
      paramLabel = "DIR",
      description =
          "The folder with the certificates that grants name, as export writes it; with --ca. "
              + "Default: beside the files of --tiles, or the service")
  private @Nullable Path folder;

  boolean asked() {
    return !authorities.isEmpty() || folder != null;
  }

  /// @param beside where the audited log comes from
  /// @throws FileSystemException if a file holds no certificates
  CertificateOptions options(CertificateSource beside) throws IOException, UsageException {
    if (authorities.isEmpty()) {
      if (folder != null) {
        throw new UsageException("--certificates needs --ca: without it none is judged");
      }
      return CertificateOptions.NONE;
    }
    LocalPaths.checkNoFile(folder);
    if (folder != null && !Files.exists(folder)) {
      throw new NoSuchFileException(folder.toString());
    }
    return new CertificateOptions(
        Optional.of(new ChainVerifier(CertificateFiles.authorities(authorities))),
        folder == null ? beside : new CertificateFolder(folder));
  }
}
