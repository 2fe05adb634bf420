package io.tallystick.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.LedgerId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import org.junit.jupiter.api.Test;

/// Goal: the cache is bounded, keeps what is used, and never mixes ledgers.
class MemberKeyCacheTest {
  private static final LedgerId LEDGER = Fixtures.ledger().params().ledgerId();
  private static final LedgerId OTHER = Fixtures.ledger(Fixtures.TIME_MS + 1).params().ledgerId();
  private static final PublicKey ALICE = Fixtures.ALICE.publicKey();
  private static final PublicKey BOB = Fixtures.BOB.publicKey();

  private final MemberKeyCache cache = new MemberKeyCache(2);

  @Test
  void findsAKeyInItsLedgerOnly() {
    cache.keep(LEDGER, ALICE);
    assertThat(cache.find(LEDGER, ALICE.kid())).contains(ALICE);
    assertThat(cache.find(OTHER, ALICE.kid())).isEmpty();
    assertThat(cache.find(LEDGER, BOB.kid())).isEmpty();
  }

  @Test
  void forgetsTheKeyThatWasNotUsedForLongest() {
    PublicKey third = SeededSigner.ed25519("third").publicKey();
    cache.keep(LEDGER, ALICE);
    cache.keep(LEDGER, BOB);
    assertThat(cache.find(LEDGER, ALICE.kid())).isPresent();
    cache.keep(LEDGER, third);
    assertThat(cache.find(LEDGER, BOB.kid())).isEmpty();
    assertThat(cache.find(LEDGER, ALICE.kid())).isPresent();
    assertThat(cache.find(LEDGER, third.kid())).isPresent();
  }
}
