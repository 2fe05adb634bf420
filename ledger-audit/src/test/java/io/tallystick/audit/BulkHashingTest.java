package io.tallystick.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.options.AuditOptions;
import io.tallystick.hashing.DeviceBatchHasher;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.hashing.FakeDevice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the audit has leaves and complete subtrees hashed by the hasher that it is given, in few
/// calls, and says the same with a device, with one that is lost, and with none. Method: a device
/// that counts.
class BulkHashingTest {
  private static final int CALLS_MAX = 40;

  private final ReferenceLedger ledger =
      Logs.sample().append(Logs.FIXTURES.batch(100, 700)).seal().append(Logs.FIXTURES.single(99));

  private static AuditOptions on(FakeDevice device) {
    return Logs.OPTIONS.withHasher(new DeviceBatchHasher(device, _ -> {}));
  }

  @Test
  void hashesEachLeafOnceAndManyInACall() {
    MemoryLog log = MemoryLog.of(ledger.seal());
    FakeDevice device = new FakeDevice(1, Integer.MAX_VALUE);
    AuditReport report = Logs.audit(log, on(device));
    AuditReport want = Logs.audit(log);
    assertThat(report.faults()).isEmpty();
    assertThat(report.root()).isEqualTo(want.root());
    assertThat(report.counts()).isEqualTo(want.counts());
    assertThat(device.messages()).isEqualTo((int) report.size().value());
    assertThat(device.calls()).isBetween(7, CALLS_MAX);
    assertThat(device.lent()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 6, 9})
  void saysTheSameWhenTheDeviceIsLost(int finished) {
    MemoryLog log = MemoryLog.of(ledger.seal());
    FakeDevice device = new FakeDevice(1, finished);
    AuditReport report = Logs.audit(log, on(device));
    assertThat(report.faults()).isEmpty();
    assertThat(report.root()).isEqualTo(Logs.audit(log).root());
    assertThat(device.lent()).isZero();
  }
}
