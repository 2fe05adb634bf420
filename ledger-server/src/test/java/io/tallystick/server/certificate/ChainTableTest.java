package io.tallystick.server.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.note.NoteDecision;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.note.TestNotes;
import io.tallystick.server.removal.NotedObjects;
import io.tallystick.server.removal.Stillness;
import io.tallystick.storage.object.LocalObjects;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: neither a request that names no chain nor the sealing of a journal waits for the note of
/// one, which waits for both. Method: a writer of notes that asks the table about such a request,
/// on another thread, while a chain is noted.
class ChainTableTest {
  private static final InstantSource CLOCK = () -> Instant.ofEpochMilli(Fixtures.TIME_MS);
  private static final long STUCK_SECONDS = 20;
  private static final TestAuthority CA = TestAuthority.root("root");

  private final RequestHeader plain;

  ChainTableTest() throws Exception {
    plain = RequestHeader.decode(Fixtures.ledger().single(1).requests().getFirst().header());
  }

  @Test
  void aRequestWithoutAChainWaitsForNoWrite() throws Exception {
    AskingWriter writer = new AskingWriter();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    ChainTable table =
        ChainTable.open(
            writer.notes.rows(),
            writer,
            meta,
            new NotedObjects(LocalObjects.open(new InMemoryDisk()), new Stillness()),
            new Stillness(),
            CLOCK,
            new ChainTrust());
    table.trust(CA.trusted());
    writer.table = table;
    CertificateChain alices = CA.chain("Alice", Fixtures.ALICE.publicKey());
    table.show(plain.strand().ledger(), alices);
    assertThat(writer.answers).containsExactly(Optional.empty());
  }

  @Test
  void theObjectOfARefusedChainGoes() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    Stillness still = new Stillness();
    TestNotes notes = TestNotes.over(new InMemoryMetaStore(), CLOCK::millis, _ -> Optional.empty());
    ChainTable table =
        ChainTable.open(
            notes.rows(),
            new NoteWriter() {
              @Override
              public <R> CompletableFuture<R> writeLater(
                  long valueBytes, boolean makesRoom, NoteDecision<R> decision) {
                assertThat(disk.names()).as("durable before its note").isNotEmpty();
                return CompletableFuture.failedFuture(
                    new RequestRejectedException(RejectionCode.STORAGE_FULL, "no room"));
              }
            },
            new InMemoryMetaStore(),
            new NotedObjects(LocalObjects.open(disk), still),
            still,
            CLOCK,
            new ChainTrust());
    table.trust(CA.trusted());
    CertificateChain alices = CA.chain("Alice", Fixtures.ALICE.publicKey());
    assertThatThrownBy(() -> table.show(plain.strand().ledger(), alices))
        .hasMessageContaining("no room");
    assertThat(disk.names()).isEmpty();
  }

  private final class AskingWriter implements NoteWriter {
    private final TestNotes notes =
        TestNotes.over(new InMemoryMetaStore(), CLOCK::millis, _ -> Optional.empty());
    private final List<Optional<CertificateChain>> answers = new ArrayList<>();
    private @Nullable ChainTable table;

    @Override
    public <R> CompletableFuture<R> writeLater(
        long valueBytes, boolean makesRoom, NoteDecision<R> decision) {
      CompletableFuture<Optional<CertificateChain>> answer = new CompletableFuture<>();
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            try {
              ChainTable asked = Objects.requireNonNull(table);
              asked.sealed(plain);
              answer.complete(asked.namedBy(plain));
            } catch (Exception e) {
              answer.completeExceptionally(e);
            }
          });
      try {
        answers.add(answer.get(STUCK_SECONDS, TimeUnit.SECONDS));
      } catch (InterruptedException | ExecutionException | TimeoutException e) {
        throw new AssertionError("the request waits", e);
      }
      return notes.writeLater(valueBytes, makesRoom, decision);
    }
  }
}
