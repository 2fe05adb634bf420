package io.tallystick.head;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Authority;
import io.tallystick.model.Jsn;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: each size has one pair of keys, and the last head of the old ones is that of size jsn + 2.
/// Method: the sizes around two rotations, by hand.
class ServiceKeysTest {
  private static final PublicKey NOTE = Fixtures.NOTE.publicKey();
  private static final PublicKey RECEIPT = Fixtures.RECEIPT.publicKey();
  private static final PublicKey NEXT_NOTE = Fixtures.NEXT_NOTE.publicKey();
  private static final PublicKey NEXT_RECEIPT = Fixtures.NEXT_RECEIPT.publicKey();
  private static final PublicKey LAST_NOTE = SeededSigner.ed25519("last note").publicKey();
  private static final ServiceKeys GENESIS =
      new ServiceKeys(new Authority("localhost"), NOTE, RECEIPT);
  private static final ServiceKeys TWICE =
      GENESIS
          .rotated(new Jsn(10), NEXT_NOTE, NEXT_RECEIPT)
          .rotated(new Jsn(12), LAST_NOTE, NEXT_RECEIPT);

  @Test
  void theHeadOfTheRotationsBlockIsTheLastThatTheOldKeysJudge() {
    for (long size : List.of(0L, 1L, 11L, 12L)) {
      assertThat(TWICE.noteKey(new TreeSize(size))).isEqualTo(NOTE);
      assertThat(TWICE.receiptKey(new TreeSize(size))).isEqualTo(RECEIPT);
    }
    for (long size : List.of(13L, 14L)) {
      assertThat(TWICE.noteKey(new TreeSize(size))).isEqualTo(NEXT_NOTE);
      assertThat(TWICE.receiptKey(new TreeSize(size))).isEqualTo(NEXT_RECEIPT);
    }
    for (long size : List.of(15L, 1L << 62)) {
      assertThat(TWICE.noteKey(new TreeSize(size))).isEqualTo(LAST_NOTE);
      assertThat(TWICE.receiptKey(new TreeSize(size))).isEqualTo(NEXT_RECEIPT);
    }
  }

  @Test
  void theNewestKeysAreThoseOfTheLastRotation() {
    assertThat(TWICE.noteKey()).isEqualTo(LAST_NOTE);
    assertThat(TWICE.receiptKey()).isEqualTo(NEXT_RECEIPT);
    assertThat(List.of(NOTE, RECEIPT, NEXT_NOTE, NEXT_RECEIPT, LAST_NOTE))
        .allMatch(TWICE::everHeld);
    assertThat(TWICE.everHeld(Fixtures.ALICE.publicKey())).isFalse();
  }

  @Test
  void aRotationGoesForward() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TWICE.rotated(new Jsn(14), NEXT_NOTE, NEXT_RECEIPT));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TWICE.rotated(new Jsn(14), LAST_NOTE, RECEIPT));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TWICE.rotated(new Jsn(14), LAST_NOTE, NEXT_RECEIPT));
    PublicKey fresh = SeededSigner.ed25519("fresh").publicKey();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TWICE.rotated(new Jsn(12), LAST_NOTE, fresh));
    assertThat(TWICE.rotated(new Jsn(13), LAST_NOTE, fresh).receiptKey()).isEqualTo(fresh);
  }

  @Test
  void theFirstTermBeginsAtTheFirstSize() {
    ServiceKeys.Term late = new ServiceKeys.Term(new TreeSize(1), NOTE, RECEIPT);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ServiceKeys(GENESIS.authority(), List.of(late)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ServiceKeys(GENESIS.authority(), List.of()));
  }
}
