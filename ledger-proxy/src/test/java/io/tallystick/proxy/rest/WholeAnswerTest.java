package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.apache.catalina.connector.ClientAbortException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: an answer arrives as it is, and a reader who takes it byte by byte is cut off. Method: a
/// response whose stream takes its time for each write.
@Timeout(60)
class WholeAnswerTest {
  private static final Duration TIME_MIN = Duration.ofMillis(200);

  private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

  /// A response to a reader who takes so long for a piece.
  private HttpServletResponse reader(Duration piece) {
    ServletOutputStream out =
        new ServletOutputStream() {
          @Override
          public void write(int octet) {
            taken.write(octet);
          }

          @Override
          public void write(byte[] from, int offset, int length) throws IOException {
            try {
              Thread.sleep(piece);
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            taken.write(from, offset, length);
          }

          @Override
          public boolean isReady() {
            return true;
          }

          @Override
          public void setWriteListener(WriteListener listener) {}
        };
    return (HttpServletResponse)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {HttpServletResponse.class},
            (_, method, _) -> method.getName().equals("getOutputStream") ? out : null);
  }

  private static WholeAnswer answerTo(HttpServletResponse reader) {
    return new WholeAnswer(reader, () -> false, TIME_MIN);
  }

  private static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) (i * 31 + i / 251);
    }
    return bytes;
  }

  @Test
  void passesAnAnswerOnAsItIs() throws Exception {
    WholeAnswer answer = answerTo(reader(Duration.ZERO));
    byte[] whole = bytes(100_001);
    answer.getOutputStream().write(whole[0]);
    answer.getOutputStream().write(whole, 1, 70_000);
    answer.getOutputStream().write(whole, 70_001, 30_000);
    assertThat(taken.toByteArray()).isEqualTo(whole);
    assertThatCode(answer::checkWhole).doesNotThrowAnyException();
  }

  @Test
  void cutsOffAReaderWhoTakesLessThanThePace() throws Exception {
    WholeAnswer answer = answerTo(reader(Duration.ofMillis(300)));
    byte[] whole = bytes(1 << 20);
    assertThatThrownBy(() -> answer.getOutputStream().write(whole))
        .isInstanceOf(ClientAbortException.class);
    assertThat(taken.size()).isLessThan(whole.length);
    assertThatThrownBy(answer::checkWhole).isInstanceOf(ClientAbortException.class);
  }

  @Test
  void waitsForAReaderWhoKeepsThePace() throws Exception {
    // 8 KiB each 60 ms is 133 KiB a second, twice the pace.
    WholeAnswer answer = answerTo(reader(Duration.ofMillis(60)));
    byte[] whole = bytes(160 << 10);
    answer.getOutputStream().write(whole);
    assertThat(taken.toByteArray()).isEqualTo(whole);
    assertThatCode(answer::checkWhole).doesNotThrowAnyException();
  }

  @Test
  void asksNobodyToHurryForAnAnswerThatHasLeft() throws Exception {
    WholeAnswer answer = answerTo(reader(Duration.ofMillis(500)));
    answer.getOutputStream().write(bytes(100));
    assertThatCode(answer::checkWhole).doesNotThrowAnyException();
  }
}
