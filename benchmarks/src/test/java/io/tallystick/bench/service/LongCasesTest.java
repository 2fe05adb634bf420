package io.tallystick.bench.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.bench.figure.BenchCase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the long cases check what they say they check, and report every figure. Method: each of
/// them, as short as it goes, against real services. No figure is judged here.
@Tag("long")
class LongCasesTest {
  private final List<String> said = new ArrayList<>();

  @TempDir private Path home;

  @Test
  void restartsUnderLoadAndFindsEveryJournalOnce() throws Exception {
    List<BenchCase> cases = new RestartBench(home, 120_000, false, said::add).run();
    assertThat(cases)
        .extracting(BenchCase::name)
        .containsExactly(
            "restart-append",
            "restart-read",
            "restart-listening",
            "restart-processor",
            "restart-memory",
            "restart-memory-under-load");
    assertThat(cases).allSatisfy(measured -> assertThat(measured.value()).isPositive());
    assertThat(said.getLast())
        .matches(" +[1-9].* receipts held verify; .* none is in the log twice");
  }

  @Test
  void reportsEveryMinuteOfALongLoadAndWhatItLeavesOnTheDisk() throws Exception {
    List<BenchCase> cases =
        new SustainedBench(home, 2, Duration.ofSeconds(1), 0.5, said::add).run();
    assertThat(said).hasSize(2).allMatch(line -> line.contains("resident: service"));
    assertThat(cases)
        .extracting(BenchCase::name)
        .containsExactly(
            "sustained-minutes",
            "sustained",
            "sustained-memory",
            "sustained-client-memory",
            "sustained-disk");
    assertThat(cases.getLast().value()).isGreaterThan(BatchLoad.PAYLOAD_BYTES);
  }

  @Test
  void putsAFixedNumberOnASmallAndALargeLedgerAndAuditsThem() throws Exception {
    List<BenchCase> cases = new StateServiceBench(home, 2_000, 3_000, 0.5, 1, said::add).measure();
    assertThat(cases)
        .extracting(BenchCase::name)
        .containsExactly(
            "service-without",
            "service-with-put",
            "service-ratio",
            "service-loaded",
            "service-loaded-ratio",
            "service-audit-without",
            "service-audit-with-put",
            "service-audit-ratio");
    assertThat(cases).allSatisfy(measured -> assertThat(measured.value()).isPositive());
    assertThat(cases.get(1).cacheOfIndex()).isPositive();
  }

  @Test
  void readsABlockBetweenTwoSavedVersions() throws Exception {
    List<BenchCase> cases = new BetweenBench(home, 3_000, 5_000, 2, said::add).measure();
    assertThat(cases)
        .extracting(BenchCase::name)
        .containsExactly("between-first", "between-further", "between-newest");
    assertThat(cases)
        .allSatisfy(measured -> {
          assertThat(measured.value()).isPositive();
          assertThat(measured.departs()).startsWith("at most 1 older version");
        });
  }
}
