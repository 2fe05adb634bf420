package io.tallystick.client.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.LedgerHandle;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.state.StateWrite;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

// begin sample
@ExtendWith(TallystickExtension.class)
class OrdersTest {
  @Test
  void anOrderIsPlacedOnce(LedgerHandle ledger) throws TallyException {
    StateWrite order = StateWrite.put("order 17", "placed").ifAbsent();
    ledger.state().write(order);
    assertThatThrownBy(() -> ledger.state().write(order))
        .isInstanceOf(RequestRefusedException.class);
  }

  // end sample

  @Test
  void thePageShowsThis() throws Exception {
    String source =
        Files.readString(Path.of("src/test/java/io/tallystick/client/testkit/OrdersTest.java"));
    String sample =
        source.substring(
            source.indexOf("// begin sample\n") + 16, source.indexOf("\n  // end sample"));
    assertThat(Files.readString(Path.of("../docs/sdk.md"))).contains(sample.strip());
  }
}
