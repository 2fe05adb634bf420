package io.tallystick.cli.audit;

import io.tallystick.audit.options.TimeOptions;
import io.tallystick.cli.option.AuthorityOptions;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.time.TrustedTokens;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// By whom `tally audit` has the times of a log told.
final class TimeAuditOptions {
  @Mixin private AuthorityOptions authorities = new AuthorityOptions();

  @Option(
      names = "--max-window",
      paramLabel = "MS",
      description =
          "It is a fault if tokens do not prove of every journal when it was committed, to so "
              + "many ms; with --tsa-ca")
  private @Nullable Long maxWindowMs;

  /// @throws FileSystemException if a file holds no certificates
  TimeOptions options() throws IOException, UsageException {
    if (maxWindowMs != null && !authorities.asked()) {
      throw new UsageException("--max-window needs --tsa-ca: without it no token is judged");
    }
    if (maxWindowMs != null && maxWindowMs < 0) {
      throw new UsageException("--max-window is 0 or more");
    }
    Optional<TrustedTokens> tokens = authorities.tokens();
    if (tokens.isEmpty()) {
      return TimeOptions.NONE;
    }
    TimeOptions options = TimeOptions.by(tokens.get());
    return maxWindowMs == null ? options : options.withMaxWindow(maxWindowMs);
  }

  boolean asked() {
    return authorities.asked() || maxWindowMs != null;
  }
}
