package io.tallystick.cli.member;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.ClientKey;
import io.tallystick.client.ReadTokens;
import io.tallystick.model.Authority;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Signs a token for reading.
@Command(
    name = "token",
    description = {
      "Sign a token with which a member reads over REST or gRPC.",
      "It is sent as `Authorization: Bearer TOKEN`. Anybody who holds it can read as that "
          + "member until it expires, in five minutes."
    },
    mixinStandardHelpOptions = true)
public final class TokenCommand implements Callable<Integer> {
  @Option(
      names = "--key",
      required = true,
      paramLabel = "FILE",
      description = "A member's private key")
  private Path key = Path.of("");

  @ArgGroup(multiplicity = "1")
  private Audience audience = new Audience();

  @Mixin private Output output = new Output();

  /// The ledgers that may be read with the token.
  static final class Audience {
    @Parameters(
        paramLabel = "LEDGER",
        description = "The id of the one ledger that the token is for")
    private @Nullable String ledger;

    @Option(
        names = "--authority",
        paramLabel = "HOST[:PORT]",
        description =
            "The name of a service, for a token that is good for all its ledgers that have "
                + "this member")
    private @Nullable String authority;
  }

  @Override
  public Integer call() throws Exception {
    ReadTokens tokens = new ReadTokens(ClientKey.load(key));
    String ledger = audience.ledger;
    String token =
        ledger != null
            ? tokens.of(ServiceOptions.ledgerId(ledger))
            : tokens.of(authority(String.valueOf(audience.authority)));
    output.print(
        token, Output.object("token", token, "lifetimeSeconds", ReadTokens.LIFETIME.toSeconds()));
    return ExitCode.OK;
  }

  static Authority authority(String text) throws UsageException {
    try {
      return new Authority(text);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--authority: " + e.getMessage());
    }
  }
}
