package io.tallystick.master.tledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.GpuMode;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.testkit.Fixtures;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: whoever was told the id of a T-Ledger keeps it: what was kept is founded, and nothing
/// takes its place unless it never can be. Method: a real node whose answers to foundings are
/// refusals, of what it did not do and of what it did.
class TLedgerFoundingTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();

  @TempDir private Path folder;
  private LocalNode hosted;
  private final Memory memory = new Memory();
  private final List<RejectionCode> before = new ArrayList<>();
  private final List<RejectionCode> after = new ArrayList<>();

  /// Keeps one request, as long as nobody else has kept another.
  private static final class Memory implements TLedgerFounding.Keeper {
    private Optional<Bytes> kept = Optional.empty();
    private @Nullable Bytes others;

    @Override
    public Optional<Bytes> kept() {
      return kept;
    }

    @Override
    public boolean keep(Optional<Bytes> before, Bytes request) {
      if (others != null) {
        kept = Optional.of(others);
        others = null;
      }
      if (!kept.equals(before)) {
        return false;
      }
      kept = Optional.of(request);
      return true;
    }

    LedgerId id() throws Exception {
      return TLedgerFounding.idOf(kept.orElseThrow());
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
  }

  @AfterEach
  void close() throws Exception {
    hosted.close();
  }

  private TLedgerFounding founding() {
    LedgerNode node = hosted.node();
    LedgerNode refusing =
        (LedgerNode)
            Proxy.newProxyInstance(
                LedgerNode.class.getClassLoader(),
                new Class<?>[] {LedgerNode.class},
                (_, method, arguments) -> {
                  boolean founds = method.getName().equals("createLedger");
                  if (founds && !before.isEmpty()) {
                    throw new RequestRejectedException(before.removeFirst(), "as the test says");
                  }
                  Object answer;
                  try {
                    answer = method.invoke(node, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                  if (founds && !after.isEmpty()) {
                    throw new RequestRejectedException(after.removeFirst(), "as the test says");
                  }
                  return answer;
                });
    return new TLedgerFounding(refusing, Fixtures.CAROL, SIGNATURES, memory);
  }

  private RejectionCode refused() {
    return catchThrowableOfType(RequestRejectedException.class, () -> founding().open()).code();
  }

  @Test
  void whatWasKeptIsFoundedThoughTheNodeWasAway() throws Exception {
    before.addAll(List.of(RejectionCode.UNAVAILABLE, RejectionCode.RATE_LIMITED));
    assertThat(refused()).isEqualTo(RejectionCode.UNAVAILABLE);
    LedgerId first = memory.id();
    assertThat(refused()).isEqualTo(RejectionCode.RATE_LIMITED);
    assertThat(founding().open()).isEqualTo(first);
    assertThat(founding().open()).isEqualTo(first);
  }

  @Test
  void whatWasFoundedWithoutAnAnswerIsTheOne() throws Exception {
    after.add(RejectionCode.UNAVAILABLE);
    assertThat(refused()).isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(founding().open()).isEqualTo(memory.id());
    assertThat(hosted.node().ledgerCount()).isEqualTo(1);
  }

  @Test
  void whatCanNeverBeFoundedGivesWay() throws Exception {
    before.add(RejectionCode.UNAVAILABLE);
    assertThat(refused()).isEqualTo(RejectionCode.UNAVAILABLE);
    LedgerId first = memory.id();
    before.add(RejectionCode.WRONG_AUTHORITY);
    LedgerId second = founding().open();
    assertThat(second).isNotEqualTo(first).isEqualTo(memory.id());
  }

  /// Of two at a time.
  @Test
  void whatAnotherHasKeptIsFounded() throws Exception {
    before.add(RejectionCode.UNAVAILABLE);
    assertThat(refused()).isEqualTo(RejectionCode.UNAVAILABLE);
    Bytes others = memory.kept.orElseThrow();
    LedgerId id = memory.id();
    memory.kept = Optional.empty();
    memory.others = others;
    assertThat(refused()).isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(founding().open()).isEqualTo(id);
  }
}
