package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.v1.GetServiceDescriptionRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the running service has the limits the front sets, whatever other gRPC libraries are on
/// its class path. Method: as many streams as a connection may have, then one call more.
class ConnectionLimitsTest {
  private static final int CALLS_PER_CONNECTION_MAX = 256;

  @TempDir Path data;

  @Test
  void makesTheCallBeyondTheConnectionsLimitWait() throws Exception {
    try (LiveService live = new LiveService(data)) {
      List<AppendStream> streams = new ArrayList<>();
      for (int i = 0; i < CALLS_PER_CONNECTION_MAX; i++) {
        streams.add(new AppendStream(live.channel));
      }
      assertThatThrownBy(() -> describe(live, 1))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              failure ->
                  assertThat(failure.getStatus().getCode())
                      .isEqualTo(Status.Code.DEADLINE_EXCEEDED));
      streams.removeLast().close();
      assertThat(describe(live, 60)).isEqualTo("localhost");
      for (AppendStream stream : streams) {
        stream.close();
      }
    }
  }

  private static String describe(LiveService live, int seconds) {
    return live.ledgers
        .withDeadlineAfter(seconds, TimeUnit.SECONDS)
        .getServiceDescription(GetServiceDescriptionRequest.getDefaultInstance())
        .getAuthority();
  }
}
