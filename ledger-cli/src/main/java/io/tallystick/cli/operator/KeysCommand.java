package io.tallystick.cli.operator;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.server.keys.PairText;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The service's own keys.
@Command(
    name = "keys",
    description = {
      "Make keys for a service, and rotate ledgers to them.",
      "With --secret: print a fresh pair as a Secret of Kubernetes, and keep nothing of it."
    },
    mixinStandardHelpOptions = true,
    subcommands = {KeysNewCommand.class, KeysRotateCommand.class, KeysChainCommand.class})
public final class KeysCommand implements Callable<Integer> {
  /// A DNS subdomain name (RFC 1123), as Kubernetes wants it.
  private static final Pattern SECRET_NAME =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  private static final int SECRET_NAME_CHARS_MAX = 253;

  @Option(
      names = "--secret",
      paramLabel = "NAME",
      description =
          "Make a first pair and print it on standard output, as the manifest of a Secret of this "
              + "name. Each run makes another pair")
  private @Nullable String secret;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws UsageException {
    if (secret == null) {
      throw new UsageException("Missing required subcommand, or --secret NAME");
    }
    if (secret.length() > SECRET_NAME_CHARS_MAX || !SECRET_NAME.matcher(secret).matches()) {
      throw new UsageException(
          "--secret "
              + secret
              + " is no name of a Secret: lower-case letters, digits, - and ., at most "
              + SECRET_NAME_CHARS_MAX);
    }
    PairText pair = PairText.generate(SignatureProviders.best());
    output.print(
        String.format(
                Locale.ROOT,
                """
                apiVersion: v1
                kind: Secret
                metadata:
                  name: "%s"
                type: Opaque
                stringData:
                  note.pem: |
                %s  receipt.pem: |
                %s\
                """,
                secret,
                pair.note().indent(4),
                pair.receipt().indent(4))
            .stripTrailing(),
        Output.object(
            "apiVersion",
            "v1",
            "kind",
            "Secret",
            "metadata",
            Output.object("name", secret),
            "type",
            "Opaque",
            "stringData",
            Output.object("note.pem", pair.note(), "receipt.pem", pair.receipt())));
    return ExitCode.OK;
  }
}
