package io.tallystick.master.tledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.ForkEvidence;
import io.tallystick.evidence.KeyChain;
import io.tallystick.hashing.GpuMode;
import io.tallystick.head.ServiceKeys;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.SignedNote;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.tledger.HeadEntries;
import io.tallystick.tledger.EntryInclusion;
import io.tallystick.tledger.HeadEntry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: heads are taken in their order, refused ones leave nothing behind, forks are kept, and
/// nobody waits for ever. Method: a real node whose clock stands still and that can be told to
/// fail, and logs of the test kit dated for that moment.
class TLedgerWriterTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();
  private static final long SECONDS_MAX = 180;
  private static final Instant NOW = Instant.ofEpochMilli(Fixtures.TIME_MS);

  @TempDir private Path folder;
  private final AtomicBoolean failing = new AtomicBoolean();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final Map<LedgerId, ForkEvidence> forks = new HashMap<>();
  private LocalNode hosted;
  private TLedgerWriter writer;

  private static final class Memory implements TLedgerFounding.Keeper {
    private Optional<Bytes> kept = Optional.empty();

    @Override
    public Optional<Bytes> kept() {
      return kept;
    }

    @Override
    public boolean keep(Optional<Bytes> before, Bytes request) {
      kept = Optional.of(request);
      return true;
    }
  }

  /// The first of each submitter.
  private final class Shelf implements ForkShelf {
    @Override
    public boolean wants(LedgerId submitter) {
      return !forks.containsKey(submitter);
    }

    @Override
    public void keep(LedgerId submitter, ForkEvidence evidence) {
      forks.put(submitter, evidence);
    }
  }

  @BeforeEach
  void open() throws Exception {
    NodeSeams real = NodeSeams.production(GpuMode.OFF);
    hosted =
        LocalNode.open(
            folder,
            new Authority("localhost"),
            new NodeSeams(real.parts(), InstantSource.fixed(NOW), real.config()),
            SIGNATURES,
            new SimpleMeterRegistry());
    LedgerNode node = failing(hosted.node());
    LedgerId id = new TLedgerFounding(node, Fixtures.CAROL, SIGNATURES, new Memory()).open();
    writer =
        new TLedgerWriter(node, id, Fixtures.CAROL, SIGNATURES, SubmitterRule.ANYBODY, new Shelf());
    writer.start();
  }

  @AfterEach
  void close() throws Exception {
    writer.close();
    hosted.close();
  }

  /// Faults when journals are read, and closes the writer when the time is, while it is told to.
  private LedgerNode failing(LedgerNode node) {
    return (LedgerNode)
        Proxy.newProxyInstance(
            LedgerNode.class.getClassLoader(),
            new Class<?>[] {LedgerNode.class},
            (_, method, arguments) -> {
              if (failing.get() && method.getName().equals("journal")) {
                throw new IllegalStateException("told to fail");
              }
              if (method.getName().equals("timeMs") && closing.compareAndSet(true, false)) {
                writer.close();
              }
              try {
                return method.invoke(node, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /// Of three blocks behind genesis, sealed within the last 40 ms.
  private static ReferenceLedger log(Fixtures ledger, int number) {
    return ReferenceLedger.found(ledger)
        .blocks(ledger.single(number), ledger.single(2), ledger.single(3));
  }

  private static Fixtures now() {
    return Fixtures.ledger(Fixtures.TIME_MS - 40);
  }

  private static SubmittedHead head(ReferenceLedger log, int size, int from) {
    return new SubmittedHead(
        log.fixtures().params().encode(),
        KeyChain.EMPTY.encode(),
        HeadEntries.of(log, size, from).encode());
  }

  private TakenHead take(ReferenceLedger log, int size, int from) throws Exception {
    return writer
        .take(head(log, size, from), SubmitterRule.Caller.NONE)
        .get(SECONDS_MAX, TimeUnit.SECONDS);
  }

  private void assertRefused(ReferenceLedger log, int size, int from) {
    assertThatThrownBy(() -> take(log, size, from))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            e -> assertThat(e.code()).isEqualTo(RejectionCode.HEAD_REFUSED));
  }

  @Test
  void aLedgersHeadsAreTakenInTheirOrder() throws Exception {
    ReferenceLedger log = log(now(), 1);
    LedgerId ledger = log.strand().ledger();
    assertThat(writer.lastSize(ledger)).isEmpty();
    TakenHead taken = take(log, 4, 0);
    HeadEntry entry = HeadEntries.of(log, 4, 0);
    Checkpoint stamped = Checkpoint.parse(SignedNote.decode(entry.note()).text());
    ServiceIdentity service = hosted.node().identity();
    ServiceKeys keys =
        new ServiceKeys(service.authority(), service.noteKey(), service.receiptKey());
    EntryInclusion shown = EntryInclusion.verify(taken.proof(), ledger, stamped, keys, SIGNATURES);
    assertThat(shown.jsn()).isEqualTo(2);
    assertThat(take(log, 4, 4).receiptFile()).as("the same answer").isEqualTo(taken.receiptFile());
    assertRefused(log, 8, 6);
    take(log, 8, 4);
    assertThat(writer.lastSize(ledger)).isEqualTo(OptionalLong.of(8));
    assertThat(writer.submitters()).isEqualTo(1);
  }

  @Test
  void whoWasRefusedIsNotRemembered() {
    for (int i = 1; i <= 3; i++) {
      ReferenceLedger ahead = log(Fixtures.ledger(Fixtures.TIME_MS + 2_000 + i), i);
      assertRefused(ahead, 4, 0);
    }
    assertThat(writer.submitters()).isZero();
  }

  /// From size 6: behind a power of two a path does not show what the log really began with.
  @Test
  void aForkIsKept() throws Exception {
    Fixtures ledger = now();
    ReferenceLedger log = log(ledger, 1);
    take(log, 6, 0);
    ReferenceLedger fork = log(ledger, 9);
    assertRefused(fork, 8, 6);
    assertThat(forks).hasSize(1);
    take(log, 8, 6);
    assertThat(writer.submitters()).isEqualTo(1);
  }

  /// Between the check of the head and its place in the queue: nobody else would answer it.
  @Test
  void whoComesWhileItClosesIsToldSo() throws Exception {
    ReferenceLedger log = log(now(), 1);
    take(log, 2, 0);
    closing.set(true);
    assertThatThrownBy(
            () -> writer.take(head(log, 4, 2), SubmitterRule.Caller.NONE).get(20, TimeUnit.SECONDS))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            e -> assertThat(e.code()).isEqualTo(RejectionCode.UNAVAILABLE));
    assertThat(closing).isFalse();
  }

  /// The entry is durable, its receipt cannot be read: whoever waits is told so, and the T-Ledger
  /// says what it has.
  @Test
  void aFaultIsAnswered() throws Exception {
    ReferenceLedger log = log(now(), 1);
    take(log, 2, 0);
    failing.set(true);
    assertThatThrownBy(() -> take(log, 4, 2)).isInstanceOf(ExecutionException.class);
    failing.set(false);
    take(log, 8, 4);
    assertThat(writer.lastSize(log.strand().ledger())).isEqualTo(OptionalLong.of(8));
  }
}
