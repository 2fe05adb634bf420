package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.StrandId;
import io.tallystick.node.TimeRefusal;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Goal: a wish for a time is seen until it is granted, refused or old; memory is bounded. Method:
/// a clock that the test moves.
class OutsideWordsTest {
  private static final TimeRefusal SLOW =
      new TimeRefusal(RejectionCode.TIME_NOT_STAMPED, "slow", OptionalLong.empty());

  private final AtomicLong clock = new AtomicLong(1_000_000);
  private final OutsideWords words = new OutsideWords(clock::get);
  private final StrandId one = strand(1);
  private final StrandId two = strand(2);

  private static StrandId strand(int number) {
    return new StrandId(new LedgerId(Sha256.hash(Bytes.utf8("ledger " + number).toArray())), 0);
  }

  @Test
  void aWishEndsWithItsTime() {
    words.want(one);
    words.want(two);
    assertThat(words.wanted()).containsExactly(one, two);
    words.granted(one);
    assertThat(words.wanted()).containsExactly(two);
    assertThat(words.whyNoTime(one)).isEmpty();
  }

  @Test
  void aRefusalIsKnownUntilAnotherWish() {
    words.want(one);
    words.refuse(one, SLOW);
    assertThat(words.wanted()).isEmpty();
    assertThat(words.whyNoTime(one)).contains(SLOW);
    words.want(one);
    assertThat(words.wanted()).containsExactly(one);
    assertThat(words.whyNoTime(one)).isEmpty();
  }

  /// Whoever still waits says so again, and is not put off by it.
  @Test
  void anOldWishIsForgotten() {
    words.want(one);
    clock.addAndGet(OutsideWords.WISH_MS);
    words.want(one);
    assertThat(words.wanted()).containsExactly(one);
    clock.incrementAndGet();
    assertThat(words.wanted()).isEmpty();
    words.refuse(two, SLOW);
    clock.addAndGet(OutsideWords.WISH_MS + 1);
    assertThat(words.whyNoTime(two)).isEmpty();
  }

  @Test
  void theEldestGiveWay() {
    for (int i = 0; i <= OutsideWords.STRANDS_MAX; i++) {
      words.want(strand(i));
      words.show(strand(i), Bytes.utf8("head " + i));
    }
    assertThat(words.wanted()).hasSize(OutsideWords.STRANDS_MAX).doesNotContain(strand(0));
    assertThat(words.cosigned(strand(0))).isEmpty();
    assertThat(words.cosigned(strand(OutsideWords.STRANDS_MAX)))
        .contains(Bytes.utf8("head " + OutsideWords.STRANDS_MAX));
  }
}
