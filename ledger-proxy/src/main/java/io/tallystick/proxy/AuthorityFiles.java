package io.tallystick.proxy;

import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.time.TrustedAuthorities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/// The files of the settings that name authorities.
final class AuthorityFiles {
  private AuthorityFiles() {}

  /// Of `tallystick.members.ca`.
  static CertificateAuthorities members(List<String> files) throws IOException {
    List<X509Certificate> all = new ArrayList<>();
    for (String file : files) {
      try {
        all.addAll(
            CertificateAuthorities.decode(Bytes.wrap(Files.readAllBytes(Path.of(file))))
                .certificates());
      } catch (MalformedException e) {
        throw new IllegalArgumentException(
            "tallystick.members.ca " + file + ": " + e.getMessage(), e);
      }
    }
    try {
      return new CertificateAuthorities(all);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("tallystick.members.ca: " + e.getMessage(), e);
    }
  }

  /// Of `tallystick.time.ca`.
  static TrustedAuthorities time(Path file) throws IOException {
    try {
      return TrustedAuthorities.decode(Bytes.wrap(Files.readAllBytes(file)));
    } catch (MalformedException e) {
      throw new IllegalArgumentException("tallystick.time.ca " + file + ": " + e.getMessage(), e);
    }
  }
}
