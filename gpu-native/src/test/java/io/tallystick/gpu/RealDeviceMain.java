package io.tallystick.gpu;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalInt;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/// Runs {@link RealDevice}, and the tests of the benchmarks' trie beside it, with neither Maven nor
/// a build: `RealDeviceMain [SHARE]`. SHARE of the full sizes is 1 unless it is given. The status
/// is 0 if all tests ran and none failed.
final class RealDeviceMain {
  private static final String SHARE = "tallystick.gpu.share";
  private static final String TRIE = "io.tallystick.gpu.RealTrie"; // of the module benchmarks
  private static final int ENTRIES = 300;
  private static final int MESSAGES = 300_000;
  private static final int KEYS = 100_000;
  private static final int SMALLEST = 20;

  private RealDeviceMain() {}

  /// Each call goes to the device.
  static CudaSettings settings() {
    CudaSettings standard = CudaSettings.standard();
    return new CudaSettings(
        standard.driver(), standard.memory(), Duration.ofSeconds(10), OptionalInt.of(1));
  }

  /// Of a batch of a trie.
  static int entries() {
    return part(ENTRIES);
  }

  /// Of a large batch of a trie.
  static int keys() {
    return part(KEYS);
  }

  static int messages() {
    return part(MESSAGES);
  }

  private static int part(int full) {
    double share = Double.parseDouble(System.getProperty(SHARE, "1"));
    return Math.max(SMALLEST, (int) (full * share));
  }

  public static void main(String[] arguments) {
    System.setProperty(SHARE, arguments.length == 0 ? "1" : arguments[0]);
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(RealDevice.class), selectClass(TRIE))
            .build();
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener, new NotRun(out));
    TestExecutionSummary summary = listener.getSummary();
    summary.printFailuresTo(out);
    out.printf(
        Locale.ROOT,
        "%d tests: %d passed, %d failed, %d not run%n",
        summary.getTestsFoundCount(),
        summary.getTestsSucceededCount(),
        summary.getTestsFailedCount(),
        summary.getTestsSkippedCount() + summary.getTestsAbortedCount());
    boolean allRan =
        summary.getTestsSkippedCount() == 0 && summary.getContainersSkippedCount() == 0;
    boolean passed =
        allRan && summary.getTestsSucceededCount() > 0 && summary.getTotalFailureCount() == 0;
    System.exit(passed ? 0 : 1);
  }

  /// Names each test that something is missing for, such as vectors of other projects.
  private record NotRun(PrintWriter out) implements TestExecutionListener {
    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
        String why = result.getThrowable().map(Throwable::getMessage).orElse("no reason given");
        out.println("not run: " + test.getDisplayName() + ": " + why);
      }
    }
  }
}
