package io.tallystick.server.note;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: nobody waits without a bound for a write that does not come back. Method: one that never
/// does.
class NoteWriterTest {
  @Test
  @Timeout(20)
  void aWriteThatDoesNotComeBackIsUnknownAfterAWhile() {
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class,
            () -> NoteWriter.await(new CompletableFuture<>(), Duration.ofMillis(10)));
    assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(refusal).hasMessageContaining("not known");
  }
}
