package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.StartFailedException;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: blocks are as large, and wait as long, as the operator says. Method: appends to a running
/// service, and the blocks that they are in.
class BlockSettingsTest {
  private static final int APPENDS = 30;
  private static final int BLOCK_MAX = 3;
  private static final int BATCH = 7;

  @TempDir private Path home;

  private RunningService start(String... settings) throws Exception {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.data-dir=" + home.resolve("data"));
    arguments.add("--tallystick.port=0");
    for (String setting : settings) {
      arguments.add("--tallystick." + setting);
    }
    return TallystickService.start(LocalNode::open, arguments.toArray(String[]::new));
  }

  private TallyClient client(RunningService service) {
    return TallyClient.connect(ClientConfig.of(service.target(), home.resolve("trust")));
  }

  private static LedgerHandle ledger(TallyClient client) throws Exception {
    return client.createLedger("x", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
  }

  @Test
  void noBlockHoldsMoreThanIsSaid() throws Exception {
    try (RunningService service = start("block.journals=" + BLOCK_MAX, "block.linger=1s");
        TallyClient client = client(service)) {
      LedgerHandle ledger = ledger(client);
      List<CompletableFuture<VerifiedReceipt>> sent = new ArrayList<>();
      for (int i = 0; i < APPENDS; i++) {
        sent.add(ledger.appendAsync(JournalDraft.text("journal " + i)));
      }
      Map<Long, Integer> blocks = new HashMap<>();
      for (CompletableFuture<VerifiedReceipt> each : sent) {
        VerifiedReceipt receipt = each.get(Waiting.MAX.toSeconds(), TimeUnit.SECONDS);
        blocks.merge(ledger.blockOf(receipt.jsn()).height(), 1, Integer::sum);
      }
      assertThat(Collections.max(blocks.values())).as("they wait for more").isEqualTo(BLOCK_MAX);
    }
  }

  /// It is committed whole, and its block has nothing else.
  @Test
  void aLargerBatchIsABlock() throws Exception {
    try (RunningService service = start("block.journals=" + BLOCK_MAX);
        TallyClient client = client(service)) {
      LedgerHandle ledger = ledger(client);
      long before = ledger.newestBlock().height();
      ledger.appendBatch(Collections.nCopies(BATCH, JournalDraft.text("in a batch")));
      VerifiedBlock block = ledger.newestBlock();
      assertThat(block.height()).isEqualTo(before + 1);
      assertThat(block.seal().jsn().value() - block.seal().firstJsn().value()).isEqualTo(BATCH);
    }
  }

  @Test
  void aLoneAppendWaitsAsLongAsIsSaid() throws Exception {
    try (RunningService service = start("block.linger=300ms");
        TallyClient client = client(service)) {
      LedgerHandle ledger = ledger(client);
      long began = System.nanoTime();
      ledger.append(JournalDraft.text("alone"));
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(300));
    }
  }

  @Test
  void refusesWhatNoBlockCanBe() {
    assertThatThrownBy(() -> start("block.journals=0"))
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining(
            "tallystick.block.journals: a block of 0 journals, want 1 to 1000000");
    assertThatThrownBy(() -> start("block.linger=1001ms"))
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining(
            "tallystick.block.linger: a block lingers 1001 ms, want 0 to 1000 ms");
  }
}
