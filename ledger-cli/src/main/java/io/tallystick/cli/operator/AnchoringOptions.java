package io.tallystick.cli.operator;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Anchoring in time, of `tally up`.
final class AnchoringOptions {
  @Option(
      names = "--time-authority",
      paramLabel = "URL",
      required = true,
      description =
          "A time authority (RFC 3161) that stamps the heads of ledgers; several are asked in "
              + "this order, the next when one fails. Default: time is not anchored")
  private List<String> authorities = List.of();

  @Option(
      names = "--time-ca",
      paramLabel = "FILE",
      required = true,
      description = "Certificates in PEM; a token must lead to one of them")
  private @Nullable Path ca;

  @Option(
      names = "--time-policy",
      paramLabel = "OID",
      description = "The policy to stamp under. Default: the authority's own")
  private @Nullable String policy;

  @Option(
      names = "--time-interval",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description =
          "Anchor a ledger when its oldest journal without a token is so old. Default: "
              + "${DEFAULT-VALUE}")
  private long interval;

  @Option(
      names = "--time-count",
      paramLabel = "JOURNALS",
      defaultValue = "10000",
      description = "Or when so many of its journals wait. Default: ${DEFAULT-VALUE}")
  private long count;

  @Option(
      names = "--time-timeout",
      paramLabel = "SECONDS",
      defaultValue = "5",
      description = "How long to wait for an authority's whole answer. Default: ${DEFAULT-VALUE}")
  private long timeout;

  void addTo(GivenSettings given) {
    given.addAll("--time-authority", "time.authorities", authorities);
    given.add("--time-ca", "time.ca", ca);
    given.add("--time-policy", "time.policy", policy);
    given.addSeconds("--time-interval", "time.interval", interval);
    given.add("--time-count", "time.count", count);
    given.addSeconds("--time-timeout", "time.timeout", timeout);
  }
}
