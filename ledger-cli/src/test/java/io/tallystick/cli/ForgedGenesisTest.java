package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.Ledger;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.journal.RequestSigner;
import io.tallystick.testkit.Fixtures;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: who pins a ledgerId cannot be shown another genesis at first contact, not even on the way,
/// and an honest service is believed afterwards. Method: the real service, one of its answers
/// changed between it and the client.
class ForgedGenesisTest {
  @TempDir private Path home;

  @Test
  void refusesAGenesisThatIsNotThePinnedOne() throws Exception {
    try (LiveService live = new LiveService(home.resolve("data"))) {
      Fixtures other = Fixtures.ledger(live.founded.timeMs());
      refused(
          live,
          Ledger.class,
          ledger ->
              ledger.toBuilder()
                  .setGenesisParams(WireBytes.toWire(other.params().encode()))
                  .build());
      believed(live);
    }
  }

  @Test
  void refusesAGenesisThatNotAllOwnersSigned() throws Exception {
    try (LiveService live = new LiveService(home.resolve("data"))) {
      refused(
          live,
          JournalEntry.class,
          entry ->
              entry.toBuilder()
                  .setAttestation(
                      WireBytes.toWire(
                          RequestSigner.signGenesis(live.founded.params(), List.of(Fixtures.ALICE))
                              .encode()))
                  .build());
      believed(live);
    }
  }

  private <T> void refused(LiveService live, Class<T> type, UnaryOperator<T> forgery) {
    try (TallyClient client = client(live, new Forger<>(type, forgery))) {
      assertThatThrownBy(() -> client.open(live.id())).isInstanceOf(VerificationException.class);
    }
  }

  private void believed(LiveService live) throws Exception {
    try (TallyClient client = client(live, new Forger<>(Ledger.class, UnaryOperator.identity()))) {
      assertThat(client.open(live.id()).checkpoint().size().value()).isEqualTo(2);
    }
  }

  private TallyClient client(LiveService live, ClientInterceptor between) {
    return TallyClient.over(
        Grpc.newChannelBuilder(live.service.target(), InsecureChannelCredentials.create())
            .intercept(between)
            .build(),
        ClientConfig.of(live.service.target(), home.resolve("trust")));
  }

  /// Changes every answer of one type.
  private record Forger<T>(Class<T> type, UnaryOperator<T> forgery) implements ClientInterceptor {
    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void start(Listener<R> listener, Metadata headers) {
          super.start(
              new SimpleForwardingClientCallListener<>(listener) {
                @Override
                @SuppressWarnings("unchecked") // the forgery gives the type that it took
                public void onMessage(R answer) {
                  super.onMessage(
                      type.isInstance(answer) ? (R) forgery.apply(type.cast(answer)) : answer);
                }
              },
              headers);
        }
      };
    }
  }
}
