package io.tallystick.proxy.operate;

import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Backups;
import io.tallystick.node.KeptState;
import io.tallystick.node.StatePruning;
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
import java.util.Locale;

/// Asks the service that runs on a data directory what its operator may ask.
public final class Operator {
  private final Path socket;

  public Operator(Path dataDirectory) {
    this.socket = dataDirectory.resolve(OperatorSocket.FILE);
  }

  /// The versions that are kept of the states that were used since the service started, by ledger.
  public List<KeptState> keptStates() throws IOException, RequestRejectedException {
    return ask(OperatorWords.STATES);
  }

  /// Has versions of a state dropped.
  ///
  /// @return what is kept then
  /// @throws RequestRejectedException if the service refuses
  public KeptState prune(LedgerId ledger, StatePruning pruning)
      throws IOException, RequestRejectedException {
    List<KeptState> kept = ask(OperatorWords.prune(ledger, pruning));
    if (kept.size() != 1) {
      throw new IOException(
          String.format(Locale.ROOT, "the service answered %d states, want 1", kept.size()));
    }
    return kept.getFirst();
  }

  /// Has what witnesses have said of a ledger taken back: it takes appends again.
  ///
  /// @return whether it was read-only
  /// @throws RequestRejectedException if the service refuses
  public boolean makeWritable(LedgerId ledger) throws IOException, RequestRejectedException {
    List<Boolean> lifted = new ArrayList<>();
    try {
      ask(OperatorWords.writable(ledger), line -> lifted.add(OperatorWords.isLifted(line)));
    } catch (MalformedException e) {
      throw new IOException(e.getMessage(), e);
    }
    if (lifted.size() != 1) {
      throw new IOException(
          String.format(Locale.ROOT, "the service answered %d lines, want 1", lifted.size()));
    }
    return lifted.getFirst();
  }

  /// Has a backup made by the service.
  ///
  /// @param to absolute; the service makes it, or finds it empty
  /// @throws IOException also if it could not be made, saying why
  /// @throws RequestRejectedException if the service refuses
  public Backups.Taken backUp(Path to, Backups.Progress progress)
      throws IOException, RequestRejectedException {
    OperatorWords.BackupAnswer answer = new OperatorWords.BackupAnswer(progress);
    try {
      ask(OperatorWords.backup(to), answer::line);
      return answer.taken();
    } catch (MalformedException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private List<KeptState> ask(String request) throws IOException, RequestRejectedException {
    List<KeptState> kept = new ArrayList<>();
    try {
      ask(request, line -> kept.add(OperatorWords.answered(line)));
      return kept;
    } catch (MalformedException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private interface Answered {
    void line(String line) throws IOException, MalformedException, RequestRejectedException;
  }

  /// @param answered hears of all lines but the last
  private void ask(String request, Answered answered)
      throws IOException, MalformedException, RequestRejectedException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      ByteBuffer bytes = ByteBuffer.wrap((request + "\n").getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      BufferedReader in = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.equals(OperatorWords.DONE)) {
          return;
        }
        answered.line(line);
      }
      throw new IOException("the service ended the connection without an answer; its log says why");
    }
  }
}
