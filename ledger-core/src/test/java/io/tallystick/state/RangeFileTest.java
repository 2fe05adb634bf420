package io.tallystick.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Signatures;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.SampleState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: a saved range shows all keys of its range with the service's public keys alone, and each
/// twin of it is refused. Method: files of a sample log, then each byte of one changed, and parts
/// of other files put in.
class RangeFileTest {
  private static final int SIZE = 8;
  private static final Bytes FROM = SampleState.key(2);
  private static final Optional<Bytes> TO = Optional.of(SampleState.key(6));
  private static final Signatures SIGNATURES = new JdkSignatures(new SplittableRandom(1));

  private final SampleState log = SampleState.young();
  private final RangeOfState range = log.range(FROM, TO, SIZE);
  private final RangeFile file = RangeFile.of(log.head(SIZE), range, values(range, SIZE));

  private List<Optional<StateValue>> values(RangeOfState of, int size) {
    try {
      return of.verify(of.from(), of.to(), log.head(size)).stream()
          .map(entry -> Optional.of(log.value(entry)))
          .toList();
    } catch (ProofRejectedException e) {
      throw new AssertionError(e);
    }
  }

  private RangeFile.Verified verified(Bytes encoded)
      throws MalformedException, ProofRejectedException {
    return RangeFile.decode(encoded).verify(log.strand(), log.keys(), SIGNATURES);
  }

  @Test
  void showsAllKeysOfTheRangeWithTheirValues() throws Exception {
    RangeFile.Verified shown = verified(file.encode());
    assertThat(shown.head()).isEqualTo(log.head(SIZE));
    assertThat(shown.from()).isEqualTo(FROM);
    assertThat(shown.to()).isEqualTo(TO);
    assertThat(shown.height()).isEqualTo(3);
    assertThat(shown.items().stream().map(RangeFile.Item::entry).map(StateEntry::key))
        .containsExactly(SampleState.key(2), SampleState.key(4), SampleState.key(5));
    assertThat(shown.items().getLast().value()).contains(Bytes.utf8("value 5 again"));
    assertThat(RangeFile.isOne(file.encode())).isTrue();
    assertThat(RangeFile.isOne(range.encode())).isFalse();
  }

  @Test
  void aValueNeedNotBeShown() throws Exception {
    List<Optional<Bytes>> some = new ArrayList<>(file.values());
    some.set(1, Optional.empty());
    RangeFile.Verified shown = verified(new RangeFile(file.head(), file.proof(), some).encode());
    assertThat(shown.items().get(1).value()).isEmpty();
    assertThat(shown.items().get(2).value()).isPresent();
  }

  @Test
  void everyChangedByteIsRefused() {
    Bytes good = file.encode();
    for (int at = 0; at < good.size(); at++) {
      byte[] changed = good.toArray();
      changed[at] ^= 1;
      assertThatThrownBy(() -> verified(Bytes.wrap(changed)))
          .as("byte %d", at)
          .isInstanceOfAny(MalformedException.class, ProofRejectedException.class);
    }
    for (int size = 0; size < good.size(); size += 7) {
      Bytes cut = good.slice(0, size);
      assertThatThrownBy(() -> verified(cut)).isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void partsOfAnotherFileAreRefused() {
    List<Optional<Bytes>> fewer = file.values().subList(0, 2);
    refused("MISSING", new RangeFile(file.head(), file.proof(), fewer));
    refused(
        "COMMITMENT_MISMATCH", new RangeFile(file.head(), file.proof(), file.values().reversed()));
    refused("WRONG_JSN", new RangeFile(log.checkpoint(6), file.proof(), file.values()));
    RangeOfState older = log.range(FROM, TO, 6);
    refused("WRONG_JSN", new RangeFile(file.head(), older.encode(), file.values()));
    refused("MALFORMED", new RangeFile(file.head(), Bytes.EMPTY, List.of()));
  }

  private void refused(String reason, RangeFile twin) {
    assertThatThrownBy(() -> verified(twin.encode())).hasMessageContaining(reason);
  }
}
