package io.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// Goal: a build has the same seeds every time, and who reads a failure can repeat it. Method:
/// seeds that are pinned, and small tests that JUnit runs and that fail.
class SeededTest {
  private static final long KNOWN = 42;

  @Test
  void aNameHasTheSameSeedsInEveryBuild() {
    assertThat(Seeds.of("io.tallystick.SomeTest#holds", 3, 0).toArray())
        .containsExactly(126_059_614_125_937L, 129_613_431_034_979L, 263_594_920_917_827L);
    assertThat(Seeds.of("io.tallystick.SomeTest#holds", 3, 0).toArray())
        .startsWith(Seeds.of("io.tallystick.SomeTest#holds", 2, 0).toArray())
        .doesNotContain(Seeds.of("io.tallystick.SomeTest#alsoHolds", 3, 0).toArray())
        .doesNotContain(Seeds.of("io.tallystick.SomeTest#holds", 3, 1).toArray());
  }

  @Test
  void knownSeedsComeFirst() throws Exception {
    Method method = Sample.class.getDeclaredMethod("fails", SplittableRandom.class);
    LongStream seeds = SeededExtension.seeds(Sample.class, method);
    long[] drawn = Seeds.of(Sample.class.getName() + "#fails", Seeds.count(2)).toArray();
    assertThat(seeds.toArray())
        .containsExactly(LongStream.concat(LongStream.of(KNOWN), LongStream.of(drawn)).toArray());
  }

  @Test
  void aFailureSaysWhichSeedItHad() {
    List<TestExecutionResult> results = run("fails", SplittableRandom.class);
    assertThat(results).hasSize(1 + Seeds.count(2));
    for (TestExecutionResult result : results) {
      assertThat(result.getThrowable().orElseThrow())
          .isInstanceOf(AssertionError.class)
          .hasMessageMatching("-Dtallystick\\.seed=\\d+: \\[the sum\\] [^-]*")
          .hasCauseInstanceOf(AssertionError.class)
          .satisfies(SeededTest::pointsAtTheTest);
    }
    assertThat(results.getFirst().getThrowable().orElseThrow())
        .hasMessageStartingWith("-Dtallystick.seed=" + KNOWN + ": ");
  }

  @Test
  void soDoesAnyOtherExceptionAlsoAfterTheTest() {
    assertThat(run("throwsUp", SplittableRandom.class).getFirst().getThrowable().orElseThrow())
        .hasMessageMatching("-Dtallystick\\.seed=\\d+: java\\.lang\\.IllegalStateException: no sum")
        .hasCauseInstanceOf(IllegalStateException.class)
        .satisfies(SeededTest::pointsAtTheTest);
    assertThat(run("leavesWaste", SplittableRandom.class).getFirst().getThrowable().orElseThrow())
        .hasMessageMatching("-Dtallystick\\.seed=\\d+: java\\.lang\\.IllegalStateException: waste");
  }

  @Test
  void whatIsSkippedIsNoFailure() {
    assertThat(run("isSkipped", SplittableRandom.class))
        .extracting(TestExecutionResult::getStatus)
        .containsOnly(TestExecutionResult.Status.ABORTED);
  }

  private static void pointsAtTheTest(Throwable failure) {
    assertThat(failure.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(Sample.class.getName()));
  }

  private static List<TestExecutionResult> run(String method, Class<?>... parameters) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectMethod(Sample.class, method, parameters))
            .build();
    List<TestExecutionResult> results = new ArrayList<>();
    Launcher launcher = LauncherFactory.create();
    launcher.execute(
        request,
        new TestExecutionListener() {
          @Override
          public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest()) {
              results.add(result);
            }
          }
        });
    return results;
  }

  /// Run by the tests above only: Surefire leaves nested classes out.
  static class Sample {
    private boolean waste;

    @AfterEach
    void nothingIsLeft() {
      if (waste) {
        throw new IllegalStateException("waste");
      }
    }

    @Seeded(runs = 2, longRuns = 2, known = KNOWN)
    void fails(SplittableRandom random) {
      assertThat(random.nextInt(1, 10)).as("the sum").isZero();
    }

    @Seeded
    void throwsUp(SplittableRandom random) {
      throw new IllegalStateException("no sum");
    }

    @Seeded
    void leavesWaste(SplittableRandom random) {
      waste = true;
    }

    @Seeded
    void isSkipped(SplittableRandom random) {
      Assumptions.abort("not today");
    }
  }
}
