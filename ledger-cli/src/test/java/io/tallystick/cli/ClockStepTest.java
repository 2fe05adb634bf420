package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.Problem;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientKey;
import io.tallystick.model.RejectionCode;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a clock that steps an hour never makes time run backwards in the log, harms no more than
/// it must, and is plain to client and operator. Method: the real service in a process of its own
/// whose clock has an offset from a file; clients whose clock is right, or as wrong as the
/// service's. Source: docs/decisions/0015.
@Tag("long")
class ClockStepTest {
  private static final long HOUR_MS = Duration.ofHours(1).toMillis();
  private static final String EXPIRED_METER = "ledger.refusals expired";
  private static final String AHEAD_METER = "ledger.time.ahead.ms";

  @TempDir private Path home;
  private Controls controls;
  private Path log;
  private int number;

  @BeforeEach
  void makeControls() throws Exception {
    controls = new Controls(Files.createDirectory(home.resolve("control")));
    log = home.resolve("service.log");
  }

  private ServiceProcess start() throws Exception {
    return ServiceProcess.start(
        home.resolve("data"),
        log,
        0,
        FaultyService.class,
        List.of(controls.folder().toString(), "0", "1000"));
  }

  /// What one journal is answered whose client is `offsetMs` off.
  private AppendResponse append(BareLedger ledger, long offsetMs) throws Exception {
    Fixtures client = new Fixtures(ledger.founded.params(), System.currentTimeMillis() + offsetMs);
    return ledger.append(client.single(++number));
  }

  private long accepted(BareLedger ledger, long offsetMs) throws Exception {
    AppendResponse answer = append(ledger, offsetMs);
    assertThat(answer.hasReceipted()).as(answer.toString()).isTrue();
    return answer.getReceipted().getTimeMs();
  }

  private Problem refused(BareLedger ledger, long offsetMs, RejectionCode code) throws Exception {
    AppendResponse answer = append(ledger, offsetMs);
    assertThat(answer.getProblem().getCode()).as(answer.toString()).isEqualTo(code.wire());
    return answer.getProblem();
  }

  @Test
  void aStepThatNoClientSharesLeavesNoTrace() throws Exception {
    try (ServiceProcess service = start();
        BareLedger ledger = new BareLedger(service.target())) {
      long before = accepted(ledger, 0);
      controls.setClockOffsetMs(HOUR_MS);
      refused(ledger, 0, RejectionCode.EXPIRED);
      Waiting.until("the refusal is counted", () -> controls.meter(EXPIRED_METER) >= 1);
      controls.setClockOffsetMs(0);
      long after = accepted(ledger, 0);
      assertThat(after).isBetween(before, System.currentTimeMillis());

      controls.setClockOffsetMs(-HOUR_MS);
      assertThat(accepted(ledger, 0)).as("time stands still").isEqualTo(after);
      refused(ledger, Duration.ofMinutes(2).toMillis(), RejectionCode.TOO_EARLY);
      Waiting.until("the operator is told", () -> Files.readString(log).contains("was set back"));
      Waiting.until("the meter shows it", () -> controls.meter(AHEAD_METER) > 0.5 * HOUR_MS);
      controls.setClockOffsetMs(0);
      assertThat(accepted(ledger, 0)).isGreaterThanOrEqualTo(after);
      Waiting.until("the meter is quiet", () -> controls.meter(AHEAD_METER) == 0);
      Audits.pass(service.target(), ledger.id(), ClientKey.of(Fixtures.ALICE));
    }
  }

  /// Then journals are dated in the future, and nothing right can follow them before that.
  @Test
  void aStepThatAClientSharesHoldsRightClientsUpUntilTheClockHasCaughtUp() throws Exception {
    try (ServiceProcess service = start();
        BareLedger ledger = new BareLedger(service.target())) {
      accepted(ledger, 0);
      controls.setClockOffsetMs(HOUR_MS);
      long ahead = accepted(ledger, HOUR_MS);
      controls.setClockOffsetMs(0);
      Problem problem = refused(ledger, 0, RejectionCode.EXPIRED);
      assertThat(problem.getDetail()).contains("ahead of the service's clock");
      assertThat(ledger.size()).as("reads go on").isEqualTo(6);
      Waiting.until("the operator is told", () -> Files.readString(log).contains("was set back"));
      Waiting.until("the meter shows it", () -> controls.meter(AHEAD_METER) > 0.5 * HOUR_MS);
      assertThat(accepted(ledger, HOUR_MS)).as("time stands still").isEqualTo(ahead);
      service.kill();
      try (ServiceProcess again = start()) {
        BareLedger same = ledger.at(again.target());
        assertThat(refused(same, 0, RejectionCode.EXPIRED).getDetail())
            .as("also after a restart")
            .contains("ahead of the service's clock");
        controls.setClockOffsetMs(HOUR_MS); // an hour later
        assertThat(accepted(same, HOUR_MS)).isGreaterThanOrEqualTo(ahead);
        Waiting.until("the meter is quiet", () -> controls.meter(AHEAD_METER) == 0);
        Audits.pass(again.target(), same.id(), ClientKey.of(Fixtures.ALICE));
        same.close();
      }
    }
  }
}
