package io.tallystick.cluster.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.ForkEvidence;
import io.tallystick.evidence.KeyChain;
import io.tallystick.hashing.GpuMode;
import io.tallystick.master.tledger.ForkShelf;
import io.tallystick.master.tledger.SubmitterRule;
import io.tallystick.master.tledger.TLedgerFounding;
import io.tallystick.master.tledger.TLedgerWriter;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.NodeChange;
import io.tallystick.node.TakenEntry;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.tledger.HeadEntries;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a head is answered, by a refusal at the latest after a while; who may not write the
/// T-Ledger tells no stranger why; its meters live as long as it. Method: a real node, and writers
/// that run, stand still or are not to be had.
class OwnedTLedgerTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();

  @TempDir private Path folder;
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private LocalNode hosted;
  private LedgerId id;

  private static final class Memory implements TLedgerFounding.Keeper {
    @Override
    public Optional<Bytes> kept() {
      return Optional.empty();
    }

    @Override
    public boolean keep(Optional<Bytes> before, Bytes request) {
      return true;
    }
  }

  private static final class NoShelf implements ForkShelf {
    @Override
    public boolean wants(LedgerId submitter) {
      return false;
    }

    @Override
    public void keep(LedgerId submitter, ForkEvidence evidence) {
      throw new AssertionError("not wanted");
    }
  }

  @BeforeEach
  void open() throws Exception {
    hosted =
        LocalNode.open(
            folder,
            new Authority("localhost"),
            NodeSeams.production(GpuMode.OFF),
            SIGNATURES,
            new SimpleMeterRegistry());
    id = new TLedgerFounding(hosted.node(), Fixtures.CAROL, SIGNATURES, new Memory()).open();
  }

  @AfterEach
  void close() throws Exception {
    hosted.close();
  }

  private TLedgerWriter writer(LedgerNode node) {
    return new TLedgerWriter(
        node, id, Fixtures.CAROL, SIGNATURES, SubmitterRule.ANYBODY, new NoShelf());
  }

  private OwnedTLedger owned(OwnedTLedger.Opening opening, Duration takenMax) {
    return new OwnedTLedger(hosted.node(), () -> meters, opening, takenMax);
  }

  private NodeChange.SubmitHead head() {
    Fixtures ledger = Fixtures.ledger(hosted.node().timeMs() - 1_000);
    ReferenceLedger log = ReferenceLedger.found(ledger).blocks(ledger.single(1));
    return new NodeChange.SubmitHead(
        id,
        ledger.params().encode(),
        KeyChain.EMPTY.encode(),
        HeadEntries.of(log, 4, 0).encode(),
        "",
        "");
  }

  private static RequestRejectedException refusal(CompletableFuture<TakenEntry> answer) {
    ExecutionException e =
        catchThrowableOfType(ExecutionException.class, () -> answer.get(60, TimeUnit.SECONDS));
    return (RequestRejectedException) Objects.requireNonNull(e.getCause());
  }

  @Test
  void aHeadIsEnteredAndMetersEndWithTheOwnership() throws Exception {
    try (OwnedTLedger owned =
        owned(
            (node, _, its) -> {
              assertThat(its).isSameAs(meters);
              TLedgerWriter writer = writer(node);
              writer.start();
              return writer;
            },
            Duration.ofSeconds(60))) {
      assertThat(owned.take(head()).get(60, TimeUnit.SECONDS).receiptFile().size()).isPositive();
      assertThat(meters.isClosed()).isFalse();
    }
    assertThat(meters.isClosed()).isTrue();
  }

  @Test
  void whoStandsStillIsNotWaitedForForEver() throws Exception {
    try (OwnedTLedger owned = owned((node, _, _) -> writer(node), Duration.ofMillis(200))) {
      assertThat(refusal(owned.take(head())).code()).isEqualTo(RejectionCode.UNAVAILABLE);
    }
  }

  @Test
  void aStrangerIsNotToldWhichFileIsMissing() {
    try (OwnedTLedger owned =
        owned(
            (_, _, _) -> {
              throw new IOException("/secret/t-ledger.pem is missing");
            },
            Duration.ofSeconds(60))) {
      RequestRejectedException e =
          catchThrowableOfType(RequestRejectedException.class, () -> owned.take(head()));
      assertThat(e.code()).isEqualTo(RejectionCode.UNAVAILABLE);
      assertThat(e.getMessage()).doesNotContain("secret");
    }
  }
}
