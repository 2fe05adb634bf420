package io.tallystick.cli.option;

import io.tallystick.cli.terminal.UsageException;
import io.tallystick.journal.JournalFilter;
import io.tallystick.journal.Kind;
import io.tallystick.model.Digest;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options for the journals that are looked for.
public final class FilterOptions {
  @Option(
      names = "--signer",
      paramLabel = "KID",
      description = "Look for journals that this key signed, alone or with others")
  private @Nullable String signer;

  @Option(
      names = "--kind",
      paramLabel = "NAME",
      description =
          "Look for journals of this kind: append, clueDelete, memberAdd, memberRevoke, parameters, "
              + "keyRotation, time, purge, occult, recall, grant, close")
  private @Nullable String kind;

  @Option(
      names = "--from-time",
      paramLabel = "TIME",
      description =
          "Look for journals from this time on, as 2027-06-30T00:00:00Z or in milliseconds since "
              + "the Unix epoch")
  private @Nullable String fromTime;

  @Option(
      names = "--to-time",
      paramLabel = "TIME",
      description = "Look for journals before this time")
  private @Nullable String toTime;

  /// All journals, if nothing is given.
  public JournalFilter filter() throws UsageException {
    JournalFilter filter = JournalFilter.ALL;
    if (signer != null) {
      filter = filter.signedBy(kid(signer));
    }
    if (kind != null) {
      filter = filter.ofKind(kind(kind));
    }
    try {
      if (fromTime != null) {
        filter = filter.fromTime(TimeText.ms(fromTime));
      }
      return toTime == null ? filter : filter.toTime(TimeText.ms(toTime));
    } catch (IllegalArgumentException e) {
      throw new UsageException("--from-time and --to-time: " + e.getMessage());
    }
  }

  private static Digest kid(String text) throws UsageException {
    try {
      return Digest.fromHex(text);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--signer is no kid of 64 hex digits");
    }
  }

  private static Kind kind(String word) throws UsageException {
    Optional<Kind> kind = Kind.ofWord(word);
    if (kind.isEmpty()) {
      throw new UsageException(
          "--kind is none of "
              + Arrays.stream(Kind.values()).map(Kind::word).collect(Collectors.joining(", ")));
    }
    return kind.get();
  }
}
