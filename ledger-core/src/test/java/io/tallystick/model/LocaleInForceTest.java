package io.tallystick.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;

/// Goal: this module's tests run where digits or letters are others than here, as the pom says.
/// Method: the JDK's own methods that name no locale.
class LocaleInForceTest {
  @Test
  void digitsOrLettersAreOthers() {
    assertThat(String.format("%d", 1) + "I".toLowerCase(Locale.getDefault()))
        .as("want -Duser.language=fa -Duser.country=IR, or tr and TR")
        .isIn("\u06f1i", "1\u0131");
  }
}
