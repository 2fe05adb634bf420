package io.tallystick.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.BindException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Test;

/// Goal: whoever starts a service on addresses that it cannot have reads which, and why. Method:
/// the failures as the servers throw them; `StartFailureTest` has those that a test can bring
/// about.
class StartFailedExceptionTest {
  private static String told(Throwable cause) {
    return String.valueOf(
        StartFailedException.of(
                new IllegalStateException("startFailed", cause), "[::]:4510", "http://[::]:4511")
            .getMessage());
  }

  @Test
  void namesTheAddressesOfAMachineWithoutIpv6() {
    assertThat(told(new UnsupportedAddressTypeException()))
        .isEqualTo("[::]:4510 or http://[::]:4511 cannot be bound: this machine has no IPv6");
  }

  @Test
  void namesAnAddressThatIsInUse() {
    assertThat(told(new BindException("Address already in use")))
        .isEqualTo("[::]:4510 is in use or cannot be bound");
  }
}
