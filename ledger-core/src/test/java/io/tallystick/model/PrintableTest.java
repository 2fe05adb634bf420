package io.tallystick.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Goal: nobody's text can steer a terminal, hide or reorder what is shown.
class PrintableTest {
  @Test
  void replacesWhatSteersHidesOrReorders() {
    assertThat(Printable.of("a\u001b[31mb")).isEqualTo("a\ufffd[31mb");
    assertThat(Printable.of("a\u009b31mb")).isEqualTo("a\ufffd31mb");
    assertThat(Printable.of("line\nforged")).isEqualTo("line\ufffdforged");
    assertThat(Printable.of("\u202egnp.exe\u2028\u200b")).isEqualTo("\ufffdgnp.exe\ufffd\ufffd");
  }

  @Test
  void saysWhetherThereIsSuchText() {
    assertThat(Printable.is("Grüße, 世界 🪵")).isTrue();
    assertThat(Printable.is("line\nforged")).isFalse();
  }

  @Test
  void keepsWhatPeopleWrite() {
    assertThat(Printable.of("Grüße, 世界 🪵")).isEqualTo("Grüße, 世界 🪵");
  }

  @Test
  void keepsTheEndsOfLines() {
    assertThat(Printable.lines("a\u0007b\nc\r\n")).isEqualTo("a\ufffdb\nc\ufffd\n");
  }

  @Test
  void writesThemIntoJsonAsEscapes() {
    assertThat(Printable.json("{\n\"a\u009b\u202e\" : \"\udb40\udc41 ü\"\n}"))
        .isEqualTo("{\n\"a\\u009b\\u202e\" : \"\\udb40\\udc41 ü\"\n}");
  }

  @Test
  void showsTimesAsPeopleReadThem() {
    assertThat(Printable.time(1_795_750_288_123L)).isEqualTo("2026-11-27T03:31:28.123Z");
    assertThat(Printable.time(-1)).isEqualTo("1969-12-31T23:59:59.999Z");
    assertThat(Printable.time(Long.MAX_VALUE)).startsWith("+292278994-");
  }
}
