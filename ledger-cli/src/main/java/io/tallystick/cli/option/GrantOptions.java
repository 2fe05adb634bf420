package io.tallystick.cli.option;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.journal.Extension;
import io.tallystick.model.Role;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options of a grant: the key's role and terms.
public final class GrantOptions {
  @Option(
      names = "--role",
      defaultValue = "normal",
      converter = RoleName.class,
      description =
          "The member's role: owner, regulator, normal, readOnly or verifyOnly. Default: "
              + "${DEFAULT-VALUE}")
  private Role role = Role.NORMAL;

  @Option(
      names = "--until",
      paramLabel = "TIME",
      description = "The last time at which the key holds, as 2027-06-30T00:00:00Z")
  private @Nullable Instant until;

  @Option(
      names = "--replaces",
      paramLabel = "KID",
      description = "Another member's key, which is revoked for ever")
  private @Nullable String replaces;

  @Option(
      names = "--delegated",
      description = "Mark the key as an agent's, for good; every journal it signs says so")
  private boolean delegated;

  @Option(
      names = "--certificate",
      paramLabel = "FILE",
      description =
          "The key's X.509 certificate in PEM, and behind it those of the authorities between it "
              + "and one that the service knows. The ledger names their digest alone")
  private @Nullable Path certificate;

  /// The certificates to show before the grant is submitted; empty without the option.
  ///
  /// @throws FileSystemException if the file holds no certificates
  public Optional<CertificateChain> chain() throws IOException {
    return certificate == null
        ? Optional.empty()
        : Optional.of(CertificateFiles.chain(certificate));
  }

  /// @param spki of the key, as `tally keygen` shows it
  public Extension.Grant grant(String spki) throws IOException, UsageException {
    try {
      return new Extension.Grant(
          role,
          GivenKeys.publicKey(spki),
          until == null ? OptionalLong.empty() : OptionalLong.of(until.toEpochMilli()),
          replaces == null ? Optional.empty() : Optional.of(GivenKeys.kid(replaces)),
          delegated,
          chain().map(CertificateChain::digest));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }
}
