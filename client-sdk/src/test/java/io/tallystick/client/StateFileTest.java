package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.failure.TallyException;
import io.tallystick.client.state.StateReading;
import io.tallystick.client.state.StateWrite;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.state.StateFile;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a reading that was saved proves to others what it proved to the client, and nothing else.
/// Method: readings of a fake service, and each byte of one changed.
class StateFileTest {
  private static final Bytes STOCK = Bytes.utf8("stock");
  private static final Bytes GONE = Bytes.utf8("gone");

  @TempDir Path trust;
  private ServiceFixture fixture;
  private LedgerState state;

  @BeforeEach
  void found() throws TallyException {
    fixture = new ServiceFixture(trust, LedgerOptions.DEFAULT.withState(LedgerStateTest.SMALL));
    state = fixture.ledger.state();
    state.write(
        StateWrite.put("stock", "1"),
        StateWrite.put("gone", "x"),
        StateWrite.put("a", "a"),
        StateWrite.put("z", "z"));
    state.delete("gone");
    state.put("stock", "3");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static Bytes flipped(Bytes bytes, int at) {
    byte[] changed = bytes.toArray();
    changed[at] ^= 1;
    return Bytes.wrap(changed);
  }

  private StateFile.Verified verified(Bytes file)
      throws MalformedException, ProofRejectedException, TallyException {
    return StateFile.decode(file)
        .verify(
            fixture.ledger.trust().strand(),
            fixture.ledger.trust().keys(),
            SignatureProviders.best());
  }

  @Test
  void aSavedReadingVerifiesWithTheServicesKeysAlone() throws Exception {
    StateReading now = state.get(STOCK);
    StateFile.Verified shown = verified(now.file().encode());
    assertThat(shown.answer()).isEqualTo(now.answer());
    assertThat(shown.value()).contains(Bytes.utf8("3"));
    assertThat(shown.height()).isEqualTo(fixture.remote().seals.size() - 1L);
    assertThat(shown.head().statesSameAs(now.head())).isTrue();
    StateFile.Verified gone = verified(state.get(GONE).file().encode());
    assertThat(gone.answer()).isInstanceOf(StateAnswer.Deleted.class);
    assertThat(gone.value()).isEmpty();
    StateFile.Verified never = verified(state.get("never").file().encode());
    assertThat(never.answer()).isEqualTo(new StateAnswer.Absent(Bytes.utf8("never"), true));
    StateFile mixed =
        new StateFile(now.file().head(), state.get(GONE).file().proof(), now.file().value());
    assertThatThrownBy(() -> verified(mixed.encode())).hasMessageContaining("COMMITMENT_MISMATCH");
  }

  /// Whatever byte is changed: the file is refused. Nothing else could be read from it.
  @Test
  void everyChangedByteOfAFileIsRefused() throws Exception {
    Bytes file = state.get(STOCK).file().encode();
    SignedHead head = verified(file).head();
    assertThat(head.size().value()).isEqualTo(fixture.remote().size());
    for (int at = 0; at < file.size(); at++) {
      Bytes changed = flipped(file, at);
      assertThatThrownBy(() -> verified(changed))
          .as("byte %d", at)
          .isInstanceOfAny(MalformedException.class, ProofRejectedException.class);
    }
    for (int size = 0; size < file.size(); size += 7) {
      Bytes cut = file.slice(0, size);
      assertThatThrownBy(() -> verified(cut)).isInstanceOf(MalformedException.class);
    }
  }
}
