package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.tallystick.api.v1.SubmitHeadRequest;
import io.tallystick.api.v1.TLedgerServiceGrpc;
import io.tallystick.crypto.Sha256;
import io.tallystick.evidence.KeyChain;
import io.tallystick.model.Bytes;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.proxy.TimeProperties;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.tledger.HeadEntries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/// Goal: a stranger makes a T-Ledger neither write, log nor grow beyond what its operator allows.
/// Method: a real service and self-made ledgers, whose heads are submitted over gRPC.
class TLedgerDoorTest {
  private static final int FORKS = 60;
  private static final int HEADS = 120;
  private static final String INVITATION = "ab".repeat(32);

  private final long nowMs = System.currentTimeMillis();

  @TempDir private Path folder = Path.of("");

  private RunningService keeper(@Nullable String list) throws Exception {
    String file =
        list == null ? null : Files.writeString(folder.resolve("submitters"), list).toString();
    return TallystickService.start(
        LocalNode::open,
        ServiceProperties.of(folder.resolve("t"), 0)
            .withTime(TimeProperties.OFF.withTLedger(true, file)));
  }

  /// Of three blocks behind genesis.
  private static ReferenceLedger log(Fixtures ledger, int number) {
    return ReferenceLedger.found(ledger)
        .blocks(ledger.single(number), ledger.single(2), ledger.single(3));
  }

  /// One of many ledgers.
  private ReferenceLedger ledger(int number) {
    return log(Fixtures.ledger(nowMs - 1_000 - number), 1);
  }

  private static ByteString bytes(Bytes of) {
    return ByteString.copyFrom(of.toArray());
  }

  private static void submit(RunningService keeper, ReferenceLedger log, int size, int from) {
    submit(keeper, log, size, from, "");
  }

  private static void submit(
      RunningService keeper, ReferenceLedger log, int size, int from, String invitation) {
    String[] at = keeper.target().split(":", -1);
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(at[0], Integer.parseInt(at[1])).usePlaintext().build();
    try {
      var _ =
          TLedgerServiceGrpc.newBlockingStub(channel)
              .submitHead(
                  SubmitHeadRequest.newBuilder()
                      .setGenesisParams(bytes(log.fixtures().params().encode()))
                      .setKeyChain(bytes(KeyChain.EMPTY.encode()))
                      .setEntry(bytes(HeadEntries.of(log, size, from).encode()))
                      .setInvitation(invitation)
                      .build());
    } finally {
      channel.shutdownNow();
    }
  }

  private static void assertRefused(
      RunningService keeper, ReferenceLedger log, String invitation, String code) {
    assertThatThrownBy(() -> submit(keeper, log, 4, 0, invitation))
        .isInstanceOf(StatusRuntimeException.class)
        .hasMessageContaining(code);
  }

  @Test
  void withoutAListNobodySubmits() throws Exception {
    try (RunningService keeper = keeper(null)) {
      assertRefused(keeper, ledger(1), "", "submitter_not_allowed");
      assertRefused(keeper, ledger(1), INVITATION, "submitter_not_allowed");
    }
  }

  @Test
  void soManyStrangersAnHourAlsoOverARestart() throws Exception {
    try (RunningService keeper = keeper("anybody 2\n")) {
      submit(keeper, ledger(1), 4, 0);
      assertRefused(keeper, ledger(2), "", "rate_limited: 1 ledgers from this address");
      submit(keeper, ledger(1), 8, 4);
    }
    try (RunningService keeper = keeper("anybody 1\n")) {
      assertRefused(keeper, ledger(2), "", "rate_limited: 1 ledgers began");
      submit(keeper, ledger(1), 8, 8);
    }
  }

  /// The list is read again when it has changed.
  @Test
  void anInvitationIsForSoManyLedgers() throws Exception {
    Path text = Files.writeString(folder.resolve("invitation"), INVITATION);
    String hash = Sha256.hash(Files.readAllBytes(text)).hex();
    try (RunningService keeper = keeper("invitation " + hash + " 1\n")) {
      assertRefused(keeper, ledger(1), "cd".repeat(32), "submitter_not_allowed");
      assertRefused(keeper, ledger(1), "", "submitter_not_allowed");
      submit(keeper, ledger(1), 4, 0, INVITATION);
      assertRefused(keeper, ledger(2), INVITATION, "rate_limited: the invitation is for 1");
      Files.writeString(
          folder.resolve("submitters"), "ledger " + ledger(2).strand().ledger() + "\n");
      submit(keeper, ledger(2), 4, 0);
      assertRefused(keeper, ledger(1), INVITATION, "submitter_not_allowed");
    }
  }

  /// Sixty at once, then one a second.
  @Test
  void aLedgerEntersNoMoreHeadsThanItsOwn() throws Exception {
    Fixtures ledger = Fixtures.ledger(nowMs - 10_000);
    ReferenceLedger log = ReferenceLedger.found(ledger);
    for (int i = 1; i <= HEADS; i++) {
      log.blocks(ledger.single(i));
    }
    try (RunningService keeper = keeper("ledger " + ledger.strand().ledger() + "\n")) {
      assertThatThrownBy(
              () -> {
                for (int size = 2; size <= log.size(); size += 2) {
                  submit(keeper, log, size, size - 2);
                }
              })
          .hasMessageContaining("rate_limited: " + ledger.strand().ledger());
    }
  }

  private List<Path> forks() throws Exception {
    try (Stream<Path> there = Files.list(folder.resolve("t/t-ledger/forks"))) {
      return there.toList();
    }
  }

  private void fork(RunningService keeper, Fixtures ledger, int count) {
    for (int i = 0; i < count; i++) {
      ReferenceLedger other = log(ledger, 10 + i);
      assertThatThrownBy(() -> submit(keeper, other, 8, 6)).hasMessageContaining("head_refused");
    }
  }

  /// A start takes appenders away.
  private static void listen(ListAppender<ILoggingEvent> lines) {
    ((Logger) LoggerFactory.getLogger("io.tallystick.proxy.anchor.ForkFolder")).addAppender(lines);
  }

  /// From size 6: behind a power of two a path does not show what the log really began with.
  @Test
  void theFirstForkOfALedgerSaysAll() throws Exception {
    Fixtures ledger = Fixtures.ledger(nowMs - 1_000);
    String list = "ledger " + ledger.strand().ledger() + "\n";
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    try (RunningService keeper = keeper(list)) {
      listen(lines);
      submit(keeper, log(ledger, 1), 6, 0);
      fork(keeper, ledger, FORKS);
      assertThat(forks()).hasSize(1);
    }
    try (RunningService keeper = keeper(list)) {
      listen(lines);
      fork(keeper, ledger, 1);
      assertThat(forks()).hasSize(1);
      submit(keeper, log(ledger, 1), 8, 6);
    }
    assertThat(lines.list).hasSize(1);
  }
}
