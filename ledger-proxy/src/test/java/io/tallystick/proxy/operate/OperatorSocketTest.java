package io.tallystick.proxy.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Appending;
import io.tallystick.node.Backups;
import io.tallystick.node.KeptState;
import io.tallystick.node.KeptStates;
import io.tallystick.node.LedgerAppends;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeRead;
import io.tallystick.node.StatePruning;
import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the operator asks is what the node is asked, and what it answers or refuses comes back
/// whole; nobody but the owner of the directory may ask.
class OperatorSocketTest {
  private static final LedgerId LEDGER = LedgerId.fromHex("ab".repeat(32));
  private static final KeptState KEPT = new KeptState(LEDGER, 9, 4, 5, 1L << 40, 40, -1);

  @TempDir private Path directory;

  /// Knows one ledger.
  private static final class OneState implements KeptStates {
    @Override
    public List<KeptState> keptStates() {
      return List.of(KEPT, new KeptState(new LedgerId(Digest.ZERO), 0, 0, 0, 0, 3, 1 << 20));
    }

    @Override
    public KeptState pruneState(LedgerId id, StatePruning pruning) throws RequestRejectedException {
      if (!id.equals(LEDGER)) {
        throw new RequestRejectedException(RejectionCode.UNKNOWN_LEDGER, "no ledger\nof that id");
      }
      if (pruning instanceof StatePruning.Beyond(OptionalInt versions, OptionalLong bytes)) {
        return new KeptState(id, 9, 4, 1, 2, versions.orElse(99), bytes.orElse(-1));
      }
      long height = ((StatePruning.Below) pruning).height();
      if (height > KEPT.newestHeight()) {
        throw new RequestRejectedException(RejectionCode.OUT_OF_RANGE, "no block " + height)
            .withLimit(KEPT.newestHeight());
      }
      if (height == 7) {
        throw new IllegalStateException("a fault of the node");
      }
      return new KeptState(id, 9, height, 1, 2, 40, -1);
    }
  }

  /// One ledger is read-only.
  private static final class OneMark implements LedgerAppends {
    private boolean isReadOnly = true;

    @Override
    public void append(List<Appending> submissions, int following) {
      throw new AssertionError("nobody appends");
    }

    @Override
    public <R> R ask(NodeRead<R> read) {
      throw new AssertionError("nobody asks");
    }

    @Override
    @SuppressWarnings("unchecked") // as the change says
    public <R> R change(NodeChange<R> change) throws RequestRejectedException {
      assertThat(change).isInstanceOf(NodeChange.LiftReadOnly.class);
      NodeChange.LiftReadOnly lift = (NodeChange.LiftReadOnly) change;
      assertThat(lift.by()).isEmpty();
      if (!lift.ledger().equals(KEPT.ledger())) {
        throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "not now");
      }
      Boolean was = isReadOnly;
      isReadOnly = false;
      return (R) was;
    }
  }

  @Test
  void aLedgerIsMadeWritable() throws Exception {
    try (OperatorSocket _ = listen()) {
      Operator operator = new Operator(directory);
      assertThat(operator.makeWritable(KEPT.ledger())).isTrue();
      assertThat(operator.makeWritable(KEPT.ledger())).isFalse();
      assertThatThrownBy(() -> operator.makeWritable(new LedgerId(Digest.ZERO)))
          .isInstanceOf(RequestRejectedException.class)
          .hasMessageContaining("not now");
      assertThat(raw("writable xyz\n")).startsWith("refused malformed - ");
    }
  }

  private static OperatorAnswers answers() {
    return new OperatorAnswers(new OneState(), Optional.empty(), new OneMark());
  }

  private OperatorSocket listen() {
    return OperatorSocket.listen(
        directory, answers(), Duration.ofSeconds(10), ServerSocketChannel::accept);
  }

  private Path socket() {
    return directory.resolve(OperatorSocket.FILE);
  }

  private String raw(String request) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket()));
      channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8)));
      channel.shutdownOutput();
      return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void answersWhatTheNodeAnswers() throws Exception {
    try (OperatorSocket _ = listen()) {
      Operator operator = new Operator(directory);
      assertThat(operator.keptStates()).isEqualTo(new OneState().keptStates());
      assertThat(operator.prune(LEDGER, new StatePruning.Below(6)))
          .isEqualTo(new KeptState(LEDGER, 9, 6, 1, 2, 40, -1));
      assertThat(operator.prune(LEDGER, beyond(OptionalInt.of(3), OptionalLong.of(1L << 33))))
          .isEqualTo(new KeptState(LEDGER, 9, 4, 1, 2, 3, 1L << 33));
      assertThat(operator.prune(LEDGER, beyond(OptionalInt.empty(), OptionalLong.empty())))
          .isEqualTo(new KeptState(LEDGER, 9, 4, 1, 2, 99, -1));
    }
  }

  private static StatePruning beyond(OptionalInt versions, OptionalLong bytes) {
    return new StatePruning.Beyond(versions, bytes);
  }

  @Test
  void refusesAsTheNodeRefuses() {
    try (OperatorSocket _ = listen()) {
      Operator operator = new Operator(directory);
      assertRefused(operator, new LedgerId(Digest.ZERO), 1, "unknown_ledger: no ledger of that id");
      assertRefused(operator, LEDGER, 10, "out_of_range 9: no block 10");
      assertThatThrownBy(() -> operator.prune(LEDGER, new StatePruning.Below(7)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("without an answer");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertRefused(Operator operator, LedgerId id, long height, String how) {
    assertThatThrownBy(() -> operator.prune(id, new StatePruning.Below(height)))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> {
              String limit = refusal.limit().isPresent() ? " " + refusal.limit().getAsLong() : "";
              assertThat(refusal.code().wire() + limit + ": " + refusal.getMessage())
                  .isEqualTo(how);
            });
  }

  /// Makes a backup of what it is told to; says where.
  private static Backups.Taken taken(Path to, Backups.Progress progress)
      throws IOException, RequestRejectedException {
    String name = to.getFileName().toString();
    if (name.equals("full")) {
      throw new IOException("no room\nin " + to);
    }
    if (name.equals("damaged")) {
      throw new RequestRejectedException(RejectionCode.DAMAGED, "frame 3");
    }
    progress.isAt(5, 10);
    progress.isAt(10, 10);
    LedgerId other = new LedgerId(Digest.ZERO);
    return new Backups.Taken(
        10,
        7,
        1,
        List.of(
            new Backups.Head(LEDGER, 9, 3, LEDGER.digest(), true, "two words"),
            new Backups.Head(other, 2, 1, Digest.ZERO, false, "")));
  }

  @Test
  void makesBackups() throws Exception {
    OperatorAnswers answers =
        new OperatorAnswers(
            new OneState(), Optional.of((to, _, progress) -> taken(to, progress)), new OneMark());
    Path to = directory.resolve("a backup of ü");
    List<Long> progress = new ArrayList<>();
    try (OperatorSocket _ =
        OperatorSocket.listen(
            directory, answers, Duration.ofSeconds(10), ServerSocketChannel::accept)) {
      Operator operator = new Operator(directory);
      assertThat(operator.backUp(to, (bytes, _) -> progress.add(bytes)))
          .isEqualTo(taken(to, (_, _) -> {}));
      assertThat(progress).containsExactly(5L, 10L);
      Path full = directory.resolve("full");
      assertThatThrownBy(() -> operator.backUp(full, (_, _) -> {}))
          .isInstanceOf(IOException.class)
          .hasMessage("no room in " + full);
      assertThatThrownBy(() -> operator.backUp(directory.resolve("damaged"), (_, _) -> {}))
          .isInstanceOf(RequestRejectedException.class)
          .hasMessage("frame 3");
      assertThat(raw("backup xyz\n")).startsWith("refused malformed - ");
    }
    try (OperatorSocket _ = listen()) {
      assertThatThrownBy(() -> new Operator(directory).backUp(to, (_, _) -> {}))
          .isInstanceOf(RequestRejectedException.class)
          .hasMessageContaining("keeps nothing that can be copied");
    }
  }

  @Test
  void refusesWhatIsNoRequest() throws Exception {
    try (OperatorSocket _ = listen()) {
      List<String> requests =
          new ArrayList<>(
              List.of("", "\n", "states of\n", "prune\n", "prune " + LEDGER + "\n", "x\n"));
      requests.add("prune " + LEDGER + " many\n");
      requests.add("prune " + "AB".repeat(32) + " 1\n");
      requests.add("s".repeat(257));
      for (String request : requests) {
        assertThat(raw(request)).as(request).startsWith("refused malformed - ").endsWith("\n");
      }
      assertThat(raw("states\n")).endsWith("\ndone\n");
    }
  }

  @Test
  void isTheOwnersAlone() throws Exception {
    try (OperatorSocket _ = listen()) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket())))
          .isEqualTo("rw-------");
    }
    assertThat(socket()).doesNotExist();
    assertThatThrownBy(() -> new Operator(directory).keptStates())
        .isInstanceOf(SocketException.class);
  }

  /// A killed process leaves its socket; a process that listens is not disturbed by idle ones.
  @Test
  void takesThePlaceOfOneThatWasLeft() throws Exception {
    Files.writeString(socket(), "left");
    List<SocketChannel> idle = new ArrayList<>();
    try (OperatorSocket _ = listen()) {
      for (int i = 0; i < 10; i++) {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket()));
        idle.add(channel);
      }
      assertThat(new Operator(directory).keptStates()).contains(KEPT);
    } finally {
      for (SocketChannel channel : idle) {
        channel.close();
      }
    }
  }

  private static SocketChannel silent(Path to) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    channel.connect(UnixDomainSocketAddress.of(to));
    return channel;
  }

  /// Connections that ask nothing hold all places, but not for ever.
  @Test
  void silentConnectionsLoseTheirPlaces() throws Exception {
    List<SocketChannel> silent = new ArrayList<>();
    Duration stepMax = Duration.ofMillis(500);
    try (OperatorSocket _ =
        OperatorSocket.listen(directory, answers(), stepMax, ServerSocketChannel::accept)) {
      for (int i = 0; i < 20; i++) {
        silent.add(silent(socket()));
      }
      assertTimeoutPreemptively(
          Waiting.MAX, () -> assertThat(new Operator(directory).keptStates()).contains(KEPT));
      assertThat(silent.getFirst().read(ByteBuffer.allocate(1))).as("closed").isNegative();
    } finally {
      for (SocketChannel channel : silent) {
        channel.close();
      }
    }
  }

  /// As without a free file descriptor.
  @Test
  void goesOnAfterAConnectionThatCouldNotBeTaken() throws Exception {
    AtomicInteger failures = new AtomicInteger(1);
    OperatorSocket.Acceptor acceptor =
        channel -> {
          if (failures.getAndDecrement() > 0) {
            throw new IOException("too many open files, by plan");
          }
          return channel.accept();
        };
    try (OperatorSocket _ =
        OperatorSocket.listen(directory, answers(), Duration.ofSeconds(10), acceptor)) {
      assertTimeoutPreemptively(
          Waiting.MAX, () -> assertThat(new Operator(directory).keptStates()).contains(KEPT));
      assertThat(failures).hasNegativeValue();
    }
  }

  /// Who asks then is refused and does not wait.
  @Test
  void leavesNoSocketWhenItEndsUnexpectedly() throws Exception {
    OperatorSocket.Acceptor acceptor =
        _ -> {
          throw new IllegalStateException("a fault, by plan");
        };
    try (OperatorSocket _ =
        OperatorSocket.listen(directory, answers(), Duration.ofSeconds(10), acceptor)) {
      Waiting.until("the socket is gone", () -> !Files.exists(socket()));
      assertThat(socket()).doesNotExist();
    }
  }

  /// Linux takes 107 bytes of a path.
  @Test
  void aServiceWithALongPathRunsWithoutIt() throws Exception {
    Path deep = Files.createDirectories(directory.resolve("deep".repeat(30)));
    try (OperatorSocket _ =
        OperatorSocket.listen(
            deep, answers(), Duration.ofSeconds(10), ServerSocketChannel::accept)) {
      assertThat(deep.resolve(OperatorSocket.FILE)).doesNotExist();
    }
  }
}
