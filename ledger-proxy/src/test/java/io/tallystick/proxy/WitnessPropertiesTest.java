package io.tallystick.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.master.witness.WitnessSettings;
import io.tallystick.testkit.TestWitness;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: settings of witnesses that cannot work are refused by name.
class WitnessPropertiesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final String VKEY = TestWitness.of("one.example").key().vkey();
  private static final String LEDGER = "0f".repeat(32);

  private static WitnessProperties with(List<String> witnesses, List<String> ledgers) {
    return new WitnessProperties(witnesses, ledgers, 1, SECOND, SECOND);
  }

  @Test
  void refusesWhatCannotWork() {
    for (String bad :
        List.of("", VKEY, "x http://a", VKEY + " ftp://a", VKEY + " a", VKEY + " http://a?b=c")) {
      assertThatThrownBy(() -> with(List.of(bad), List.of(LEDGER)))
          .as(bad)
          .hasMessageContaining("tallystick.witness.witnesses");
    }
    List<String> good = List.of(VKEY + " http://a");
    assertThatThrownBy(() -> with(List.of(), List.of(LEDGER)))
        .hasMessageContaining("tallystick.witness.ledgers");
    for (String bad : List.of("", "00", LEDGER + "0", LEDGER.replace("f", "F"))) {
      assertThatThrownBy(() -> with(good, List.of(bad)))
          .hasMessageContaining("tallystick.witness.ledgers");
    }
    assertThatThrownBy(() -> new WitnessProperties(good, List.of(LEDGER), 2, SECOND, SECOND))
        .hasMessageContaining("tallystick.witness.");
    assertThatThrownBy(() -> new WitnessProperties(good, null, 1, Duration.ZERO, SECOND))
        .hasMessageContaining("tallystick.witness.");
  }

  @Test
  void readsKeyAndUrl() {
    WitnessSettings settings =
        with(List.of(VKEY + " https://a/w/"), List.of(LEDGER)).settings().orElseThrow();
    assertThat(settings.witnesses().getFirst().key().vkey()).isEqualTo(VKEY);
    assertThat(settings.witnesses().getFirst().prefix()).isEqualTo(URI.create("https://a/w/"));
    assertThat(settings.ledgers().getFirst().hex()).isEqualTo(LEDGER);
    assertThat(WitnessProperties.OFF.settings()).isEmpty();
    assertThat(with(List.of(VKEY + " http://a"), List.of()).settings()).isEmpty();
  }
}
