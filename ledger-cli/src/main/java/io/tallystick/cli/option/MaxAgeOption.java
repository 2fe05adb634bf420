package io.tallystick.cli.option;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.failure.StaleHeadException;
import io.tallystick.head.HeadAge;
import io.tallystick.model.TreeSize;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// How old the newest head of a ledger may be.
public final class MaxAgeOption {
  private static final Pattern AGE = Pattern.compile("([1-9][0-9]{0,8})([smhd])");

  @Option(
      names = "--max-age",
      paramLabel = "DURATION",
      converter = Age.class,
      description =
          "Fail (status 5) if the newest head was sealed longer ago: 30s, 5m, 24h, 7d. A ledger to "
              + "which nothing is appended seals none. Default: any age")
  private @Nullable Duration maxAge;

  public boolean asked() {
    return maxAge != null;
  }

  ClientConfig limit(ClientConfig config) {
    return maxAge == null ? config : config.withMaxHeadAge(maxAge);
  }

  /// @throws StaleHeadException if the head is older
  public void check(TreeSize size, HeadAge head) throws StaleHeadException {
    if (maxAge != null && head.age().compareTo(maxAge) > 0) {
      throw new StaleHeadException(size, head, maxAge);
    }
  }

  /// A whole number and a unit.
  static final class Age implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      Matcher age = AGE.matcher(text);
      if (!age.matches()) {
        throw new TypeConversionException(
            "'" + text + "' is no age: want 1 to 999999999 and s, m, h or d, as in 5m");
      }
      long count = Long.parseLong(age.group(1));
      return switch (age.group(2)) {
        case "s" -> Duration.ofSeconds(count);
        case "m" -> Duration.ofMinutes(count);
        case "h" -> Duration.ofHours(count);
        default -> Duration.ofDays(count);
      };
    }
  }
}
