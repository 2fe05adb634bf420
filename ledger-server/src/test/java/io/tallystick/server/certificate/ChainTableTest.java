package io.tallystick.server.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.server.removal.Stillness;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.object.LocalObjects;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
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

/// Goal: a request that names no chain waits for no write of one. Method: a store that asks the
/// table about such a request, on another thread, while a chain is written.
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
    AskingStore meta = new AskingStore();
    ChainTable table =
        ChainTable.open(
            meta, LocalObjects.open(new InMemoryDisk()), new Stillness(), CLOCK, new ChainTrust());
    table.trust(CA.trusted());
    meta.table = table;
    CertificateChain alices = CA.chain("Alice", Fixtures.ALICE.publicKey());
    table.show(plain.strand().ledger(), alices);
    assertThat(meta.answers).containsExactly(Optional.empty());
  }

  private final class AskingStore implements MetaStore {
    private final InMemoryMetaStore rows = new InMemoryMetaStore();
    private final List<Optional<CertificateChain>> answers = new ArrayList<>();
    private @Nullable ChainTable table;

    @Override
    public @Nullable Bytes get(Bytes key) {
      return rows.get(key);
    }

    @Override
    public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
      rows.scan(prefix, after, visitor);
    }

    @Override
    public void write(MetaBatch batch) {
      CompletableFuture<Optional<CertificateChain>> answer = new CompletableFuture<>();
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            try {
              answer.complete(Objects.requireNonNull(table).namedBy(plain));
            } catch (Exception e) {
              answer.completeExceptionally(e);
            }
          });
      try {
        answers.add(answer.get(STUCK_SECONDS, TimeUnit.SECONDS));
      } catch (InterruptedException | ExecutionException | TimeoutException e) {
        throw new AssertionError("the request waits", e);
      }
      rows.write(batch);
    }

    @Override
    public void close() {}
  }
}
