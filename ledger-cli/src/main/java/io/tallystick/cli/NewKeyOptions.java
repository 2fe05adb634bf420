package io.tallystick.cli;

import io.tallystick.cli.terminal.UsageException;
import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Role;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// A key and the role that it is to have.
final class NewKeyOptions {
  @Parameters(
      index = "1",
      paramLabel = "SPKI",
      description = "The public key, as `tally keygen` shows it")
  private String spki = "";

  @Option(
      names = "--role",
      defaultValue = "normal",
      converter = MemberCommand.RoleName.class,
      description =
          "The member's role: owner, regulator, normal, readOnly or verifyOnly. Default: "
              + "${DEFAULT-VALUE}")
  private Role role = Role.NORMAL;

  Role role() {
    return role;
  }

  PublicKey key() throws UsageException {
    return MemberCommand.publicKey(spki);
  }
}
