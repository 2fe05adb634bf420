package io.tallystick.proxy.anchor;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.Sha256;
import io.tallystick.master.tledger.TLedgerDoor;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.node.HostedNode;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// Goal: a proxy knows the T-Ledger that its cluster has now. Method: a node that comes to know
/// another one.
class KeptTLedgerTest {
  private static LedgerId ledger(int number) {
    return new LedgerId(Sha256.hash(Bytes.utf8("ledger " + number).toArray()));
  }

  private static <T> T answering(Class<T> type, String name, Supplier<?> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, _) -> method.getName().equals(name) ? answer.get() : null));
  }

  @Test
  void anotherTLedgerIsFollowed() {
    AtomicReference<Optional<LedgerId>> now = new AtomicReference<>(Optional.empty());
    HostedNode hosted = answering(HostedNode.class, "tLedger", now::get);
    try (KeptTLedger kept = KeptTLedger.ofOthers(hosted)) {
      assertThat(kept.door()).isEmpty();
      now.set(Optional.of(ledger(1)));
      TLedgerDoor first = kept.door().orElseThrow();
      assertThat(first.tLedger()).isEqualTo(ledger(1));
      assertThat(kept.door()).containsSame(first);
      now.set(Optional.of(ledger(2)));
      assertThat(kept.door().orElseThrow().tLedger()).isEqualTo(ledger(2));
    }
  }
}
