package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: who is refused for the time learns by how much, and whose clock is at fault. Method: a
/// request of the second 100 that lives a minute, judged just outside. The golden vectors hold the
/// limits themselves.
class RequestTimesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "69999 | 69999 | TOO_EARLY | is 30001 ms ahead of the service, at most 30000",
        "160001 | 160001 | EXPIRED | expired at 1970-01-01T00:02:40Z, now 1970-01-01T00:02:40.001Z",
        "165000 | 160001 | EXPIRED | expired at 1970-01-01T00:02:40Z, now 1970-01-01T00:02:45Z",
        "165000 | 160000 | EXPIRED | now 1970-01-01T00:02:45Z, which is 5000 ms ahead of the"
            + " service's clock: journals were committed before it was set back",
      })
  void saysByHowMuchAndWhoseClock(long nowMs, long clockMs, RejectionCode code, String words)
      throws MalformedException {
    Sample sample = new Sample();
    SignedRequest request =
        RequestDraft.append(sample.strand, Bytes.EMPTY, "", 100_000, sample.salt()).build();
    RequestHeader header = RequestHeader.decode(request.header());
    assertThatExceptionOfType(RequestRejectedException.class)
        .isThrownBy(() -> RequestTimes.check(header, nowMs, clockMs, 60_000))
        .satisfies(e -> assertThat(e.code()).isEqualTo(code))
        .withMessageEndingWith(words);
  }
}
