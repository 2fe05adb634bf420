package io.tallystick.cli;

import io.tallystick.cli.terminal.UsageException;
import io.tallystick.journal.Extension;
import io.tallystick.model.Role;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// What a grant says of a key.
final class GrantOptions {
  @Option(
      names = "--role",
      defaultValue = "normal",
      converter = MemberCommand.RoleName.class,
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

  /// @param spki of the key, as `tally keygen` shows it
  Extension.Grant grant(String spki) throws UsageException {
    try {
      return new Extension.Grant(
          role,
          MemberCommand.publicKey(spki),
          until == null ? OptionalLong.empty() : OptionalLong.of(until.toEpochMilli()),
          replaces == null ? Optional.empty() : Optional.of(MemberCommand.kid(replaces)),
          delegated,
          Optional.empty());
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }
}
