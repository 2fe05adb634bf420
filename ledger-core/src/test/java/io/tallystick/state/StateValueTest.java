package io.tallystick.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.journal.Commitments;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.testkit.Fixtures;
import org.junit.jupiter.api.Test;

/// Goal: only the value that was written, with what opens its commitment, passes for an entry's.
/// Method: one value, and every part of it replaced.
class StateValueTest {
  private final Bytes salt = Fixtures.bytes32("salt 1");
  private final Bytes value = Bytes.utf8("the value");
  private final StateValue good = new StateValue(Commitments.valueOpening(salt, 3), value);
  private final StateEntry entry = entry(Commitments.value(salt, 3, value), value.size());

  private static StateEntry entry(Digest commit, int size) {
    return StateEntry.put(Bytes.utf8("key"), commit, size, new Jsn(7));
  }

  @Test
  void opensTheCommitmentOfTheRequest() throws Exception {
    StateValue decoded = StateValue.decode(good.encode());
    assertThat(decoded).isEqualTo(good);
    decoded.verify(entry);
    StateValue empty = new StateValue(Commitments.valueOpening(salt, 0), Bytes.EMPTY);
    empty.verify(entry(Commitments.value(salt, 0, Bytes.EMPTY), 0));
  }

  @Test
  void refusesEveryChangedByte() {
    Bytes encoded = good.encode();
    for (int at = 0; at < encoded.size(); at++) {
      byte[] changed = encoded.toArray();
      changed[at] ^= 1;
      assertThatThrownBy(() -> StateValue.decode(Bytes.wrap(changed)).verify(entry))
          .as("byte %d", at)
          .isInstanceOfAny(MalformedException.class, ProofRejectedException.class);
    }
  }

  @Test
  void refusesWhatIsTrueOfAnotherOperation() {
    assertMismatch(new StateValue(Commitments.valueOpening(salt, 4), value), entry);
    assertMismatch(new StateValue(good.opening(), Bytes.utf8("the other")), entry);
    assertMismatch(new StateValue(Digest.of(salt), value), entry);
    assertMismatch(good, StateEntry.tombstone(Bytes.utf8("key"), new Jsn(7)));
    assertMismatch(good, entry(Sha256.hash(value.toArray()), value.size()));
    assertMismatch(good, entry(good.commit(), value.size() + 1));
  }

  private static void assertMismatch(StateValue value, StateEntry entry) {
    assertThatThrownBy(() -> value.verify(entry))
        .isInstanceOfSatisfying(
            ProofRejectedException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.COMMITMENT_MISMATCH));
  }
}
