package io.tallystick.server.sim;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.shard.Shard;
import java.util.Collection;

/// Judges what the shard has answered, and sends it to the clients.
final class Replies {
  /// Carries an answer to its client.
  @FunctionalInterface
  interface Network {
    void send(Agenda.Event delivery);
  }

  private final Inbox inbox;
  private final Judge judge;
  private final Network network;

  Replies(Inbox inbox, Judge judge, Network network) {
    this.inbox = inbox;
    this.judge = judge;
    this.network = network;
  }

  /// All answers that have come since the last call.
  void judge() {
    for (Arrival arrival : inbox.take()) {
      judge.answered(arrival);
      network.send(() -> deliver(arrival));
    }
  }

  private static boolean deliver(Arrival arrival) {
    if (arrival.sent != null && arrival.receipted != null) {
      arrival.from.told(arrival.sent, arrival.receipted.committed().firstJsn());
    } else if (arrival.sent != null
        && arrival.failure instanceof RequestRejectedException refusal
        && !refusal.code().retryable()) {
      arrival.sent.answered = true;
    }
    return true;
  }

  /// Whatever a turn took is answered once no frame waits to be sealed, and its bytes given back.
  ///
  /// @param waiting inputs that no turn has taken
  void nothingForgotten(Shard up, Collection<Arrival> waiting) {
    if (up.unsealedFrames() == 0) {
      nothingForgotten(waiting);
      Violation.unless(
          waiting.isEmpty() == (up.admittedBytes() == 0),
          "%s inputs wait, %s bytes are admitted",
          waiting.size(),
          up.admittedBytes());
    }
  }

  /// Whatever a turn took is answered.
  void nothingForgotten(Collection<Arrival> waiting) {
    long clients = waiting.stream().filter(arrival -> !arrival.isShards()).count();
    Violation.unless(
        inbox.unanswered() == clients,
        "%s inputs are not answered, %s wait",
        inbox.unanswered(),
        clients);
  }
}
