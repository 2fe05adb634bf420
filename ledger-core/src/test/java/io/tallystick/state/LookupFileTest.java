package io.tallystick.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Signatures;
import io.tallystick.merkle.forest.StateAnswer;
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

/// Goal: a saved proof of several keys shows each of them with the service's public keys alone, and
/// each twin of it is refused. Method: a file of a sample log, then each byte of it changed, and
/// parts of other files put in.
class LookupFileTest {
  private static final int SIZE = 8;
  private static final Signatures SIGNATURES = new JdkSignatures(new SplittableRandom(1));
  private static final List<Bytes> KEYS =
      List.of(SampleState.key(3), SampleState.key(5), SampleState.key(7));

  private final SampleState log = SampleState.young();
  private final LookupsProof proof = log.lookups(KEYS, SIZE);
  private final LookupFile file = LookupFile.of(log.head(SIZE), proof, values());

  private List<Optional<StateValue>> values() {
    try {
      return proof.verify(KEYS, log.head(SIZE)).stream()
          .map(answer ->
              answer instanceof StateAnswer.Present present
                  ? Optional.of(log.value(present.entry()))
                  : Optional.<StateValue>empty())
          .toList();
    } catch (ProofRejectedException e) {
      throw new AssertionError(e);
    }
  }

  private LookupFile.Verified verified(Bytes encoded)
      throws MalformedException, ProofRejectedException {
    return LookupFile.decode(encoded).verify(log.strand(), log.keys(), SIGNATURES);
  }

  @Test
  void showsEachKeyWithItsValue() throws Exception {
    LookupFile.Verified shown = verified(file.encode());
    assertThat(shown.head()).isEqualTo(log.head(SIZE));
    assertThat(shown.height()).isEqualTo(3);
    assertThat(shown.items().stream().map(item -> item.answer().key())).isEqualTo(KEYS);
    assertThat(shown.items().get(0).answer()).isInstanceOf(StateAnswer.Deleted.class);
    assertThat(shown.items().stream().map(LookupFile.Item::value))
        .containsExactly(
            Optional.empty(),
            Optional.of(Bytes.utf8("value 5 again")),
            Optional.of(Bytes.utf8("value 7 again")));
    assertThat(LookupFile.isOne(file.encode())).isTrue();
    assertThat(LookupFile.isOne(proof.encode())).isFalse();
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
  void partsOfAnotherFileAreRefused() throws Exception {
    List<Optional<Bytes>> values = file.values();
    refused("MISSING", new LookupFile(file.head(), file.proof(), values.subList(0, 2)));
    refused("COMMITMENT_MISMATCH", new LookupFile(file.head(), file.proof(), values.reversed()));
    List<Optional<Bytes>> ofADeletion = new ArrayList<>(values);
    ofADeletion.set(0, values.get(1));
    refused("COMMITMENT_MISMATCH", new LookupFile(file.head(), file.proof(), ofADeletion));
    refused("WRONG_JSN", new LookupFile(log.checkpoint(6), file.proof(), values));
    refused("WRONG_JSN", new LookupFile(file.head(), log.lookups(KEYS, 6).encode(), values));
    refused("MALFORMED", new LookupFile(file.head(), Bytes.EMPTY, List.of()));
    refused(
        "MALFORMED", new LookupFile(file.head(), log.lookup(KEYS.get(1), SIZE).encode(), values));
    List<Optional<Bytes>> some = List.of(values.get(0), Optional.empty(), values.get(2));
    assertThat(verified(new LookupFile(file.head(), file.proof(), some).encode()).items())
        .hasSize(3);
  }

  private void refused(String reason, LookupFile twin) {
    assertThatThrownBy(() -> verified(twin.encode())).hasMessageContaining(reason);
  }
}
