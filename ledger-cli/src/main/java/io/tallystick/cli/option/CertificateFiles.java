package io.tallystick.cli.option;

import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.durable.PlainFile;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/// Files with certificates in PEM.
public final class CertificateFiles {
  private static final int FILE_BYTES_MAX = 1 << 20;

  private CertificateFiles() {}

  /// @throws FileSystemException if it holds none, or too many
  public static CertificateChain chain(Path file) throws IOException {
    try {
      return CertificateChain.ofPem(content(file));
    } catch (MalformedException e) {
      throw new FileSystemException(file.toString(), null, String.valueOf(e.getMessage()));
    }
  }

  /// @param files one or more
  /// @throws FileSystemException if one holds none, or all hold too many
  public static CertificateAuthorities authorities(List<Path> files) throws IOException {
    List<X509Certificate> all = new ArrayList<>();
    for (Path file : files) {
      try {
        all.addAll(CertificateAuthorities.decode(content(file)).certificates());
      } catch (MalformedException e) {
        throw new FileSystemException(file.toString(), null, String.valueOf(e.getMessage()));
      }
    }
    try {
      return new CertificateAuthorities(all);
    } catch (IllegalArgumentException e) {
      throw new FileSystemException(files.getLast().toString(), null, e.getMessage());
    }
  }

  private static Bytes content(Path file) throws IOException {
    LocalPaths.checkNoFolder(file);
    try (InputStream in = PlainFile.open(file)) {
      // One byte more than is read, so that a longer file is refused and not cut.
      Bytes content = Bytes.wrap(in.readNBytes(FILE_BYTES_MAX + 1));
      if (content.size() > FILE_BYTES_MAX) {
        throw new FileSystemException(
            file.toString(), null, "is longer than " + FILE_BYTES_MAX + " bytes");
      }
      return content;
    }
  }
}
