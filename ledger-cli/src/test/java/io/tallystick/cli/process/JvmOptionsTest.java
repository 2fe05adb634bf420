package io.tallystick.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: what a service's heap is can be told before it is started. Method: options by hand, and
/// those that every service gets.
class JvmOptionsTest {
  private static final long MIB = 1 << 20;

  @Test
  void theLastHeapCounts() {
    assertThat(JvmOptions.heapBytes(List.of("-Xms1g", "-Xmx384m"))).isEqualTo(384 * MIB);
    assertThat(JvmOptions.heapBytes(List.of("-Xmx384m", "-Xmx2G"))).isEqualTo(2048 * MIB);
    assertThat(JvmOptions.heapBytes(List.of("-Xmx65536k"))).isEqualTo(64 * MIB);
    assertThat(JvmOptions.heapBytes(List.of("-Xmx1048576"))).isEqualTo(MIB);
  }

  @Test
  void everyServiceHasOne() {
    assertThat(ServiceProcess.heapBytes()).isGreaterThanOrEqualTo(64 * MIB);
  }
}
