package io.tallystick.cli.option;

import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.crypto.provider.time.Rfc3161Tokens;
import io.tallystick.durable.PlainFile;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.time.ListedTokens;
import io.tallystick.time.TrustedAuthorities;
import io.tallystick.time.TrustedTokens;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Option;

/// Whose time-stamp tokens are believed.
public final class AuthorityOptions {
  private static final int FILE_BYTES_MAX = 1 << 20;

  @Option(
      names = "--tsa-ca",
      paramLabel = "FILE",
      description =
          "Certificates in PEM: a time-stamp token must lead to one of them. Repeat it for more "
              + "files. Get them from the authority, not from the ledger's operator. Default: no "
              + "token is judged")
  private List<Path> authorities = List.of();

  public boolean asked() {
    return !authorities.isEmpty();
  }

  /// @return empty without the option
  /// @throws FileSystemException if a file holds no certificates
  public Optional<TrustedTokens> tokens() throws IOException, UsageException {
    return asked()
        ? Optional.of(new ListedTokens(new Rfc3161Tokens(), listed()))
        : Optional.empty();
  }

  private TrustedAuthorities listed() throws IOException, UsageException {
    List<X509Certificate> all = new ArrayList<>();
    for (Path file : authorities) {
      all.addAll(certificates(file));
    }
    if (all.size() > TrustedAuthorities.CERTIFICATES_MAX) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "--tsa-ca: %d certificates, at most %d",
              all.size(),
              TrustedAuthorities.CERTIFICATES_MAX));
    }
    return new TrustedAuthorities(all);
  }

  private static List<X509Certificate> certificates(Path file) throws IOException {
    LocalPaths.checkNoFolder(file);
    try (InputStream in = PlainFile.open(file)) {
      // One byte more than is read, so that a longer file is refused and not cut.
      Bytes content = Bytes.wrap(in.readNBytes(FILE_BYTES_MAX + 1));
      if (content.size() > FILE_BYTES_MAX) {
        throw new FileSystemException(
            file.toString(), null, "is longer than " + FILE_BYTES_MAX + " bytes");
      }
      return TrustedAuthorities.decode(content).certificates();
    } catch (MalformedException e) {
      throw new FileSystemException(file.toString(), null, String.valueOf(e.getMessage()));
    }
  }
}
