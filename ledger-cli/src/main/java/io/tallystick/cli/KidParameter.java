package io.tallystick.cli;

import io.tallystick.cli.terminal.UsageException;
import io.tallystick.model.Digest;
import picocli.CommandLine.Parameters;

/// A member's key, by its id.
final class KidParameter {
  @Parameters(index = "1", paramLabel = "KID", description = "The key id, 64 hex digits")
  private String kid = "";

  Digest kid() throws UsageException {
    return MemberCommand.kid(kid);
  }
}
