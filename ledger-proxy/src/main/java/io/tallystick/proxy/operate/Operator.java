package io.tallystick.proxy.operate;

import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptState;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Asks the service that runs on a data directory what its operator may ask.
public final class Operator {
  private final Path socket;

  public Operator(Path dataDirectory) {
    this.socket = dataDirectory.resolve(OperatorSocket.FILE);
  }

  /// What is kept of the states that were used since the service started, by ledger.
  public List<KeptState> keptStates() throws IOException, RequestRejectedException {
    return ask(OperatorWords.STATES);
  }

  /// Has the versions of a state forgotten that no block from a height on has.
  ///
  /// @return what is kept then
  /// @throws RequestRejectedException if the service refuses
  public KeptState prune(LedgerId ledger, long height)
      throws IOException, RequestRejectedException {
    List<KeptState> kept = ask(OperatorWords.prune(ledger, height));
    if (kept.size() != 1) {
      throw new IOException("the service answered %d states, want 1".formatted(kept.size()));
    }
    return kept.getFirst();
  }

  private List<KeptState> ask(String request) throws IOException, RequestRejectedException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      ByteBuffer line = ByteBuffer.wrap((request + "\n").getBytes(StandardCharsets.UTF_8));
      while (line.hasRemaining()) {
        channel.write(line);
      }
      return answer(new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8)));
    } catch (MalformedException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static List<KeptState> answer(BufferedReader in)
      throws IOException, MalformedException, RequestRejectedException {
    List<KeptState> kept = new ArrayList<>();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.equals(OperatorWords.DONE)) {
        return kept;
      }
      kept.add(OperatorWords.answered(line));
    }
    throw new IOException("the service ended the connection without an answer; its log says why");
  }
}
