package io.tallystick.cli.member;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.ClientKey;
import io.tallystick.client.ReadTokens;
import io.tallystick.model.Digest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Lets the holder of a key found ledgers.
@Command(
    name = "invite",
    description = {
      "Sign an invitation with which the holder of another key may found ledgers.",
      "The service's list of founders must name your key as an inviter's."
    },
    mixinStandardHelpOptions = true)
public final class InviteCommand implements Callable<Integer> {
  private static final Pattern KID = Pattern.compile("[0-9a-f]{64}");

  @Option(
      names = "--key",
      required = true,
      paramLabel = "FILE",
      description = "The inviter's private key")
  private Path key = Path.of("");

  @Option(
      names = "--authority",
      required = true,
      paramLabel = "HOST[:PORT]",
      description = "The service's name, as in the origin of its ledgers")
  private String authority = "";

  @Option(
      names = "--for",
      required = true,
      paramLabel = "KID",
      description = "The key id of the founder, as keygen shows it")
  private String kid = "";

  @Option(
      names = "--days",
      defaultValue = "7",
      description = "How many days the invitation is valid, 1 to 30. Default: ${DEFAULT-VALUE}")
  private int days;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws Exception {
    if (!KID.matcher(kid).matches()) {
      throw new UsageException("--for is a kid, 64 lower-case hex digits");
    }
    if (days < 1 || days > ReadTokens.INVITATION_LIFETIME_MAX.toDays()) {
      throw new UsageException("--days is 1 to " + ReadTokens.INVITATION_LIFETIME_MAX.toDays());
    }
    String token =
        ReadTokens.invitation(
            ClientKey.load(key),
            TokenCommand.authority(authority),
            Digest.fromHex(kid),
            Duration.ofDays(days));
    output.print(token, Output.object("invitation", token, "founder", kid, "days", days));
    return ExitCode.OK;
  }
}
