package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.Member;
import io.tallystick.node.StateReads;
import io.tallystick.removal.Snapshot;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.contract.ObjectStoreContract;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/// Goal: whoever takes a shard over without a savepoint has every chain, mark and snapshot that was
/// acknowledged, with its images, and erases what is to be erased. Method: {@link ObjectServers}.
class ObjectTakeoverTest extends ObjectServers {
  private static final SeededSigner DAVE = SeededSigner.ed25519("dave");
  private static final CertificateChain NAMED = CA.chain("Dave", DAVE.publicKey());
  private static final CertificateChain WAITING = CA.chain("Alice", Fixtures.ALICE.publicKey());

  @Test
  void chainsAndMarksAreThere() throws Exception {
    Server first = begin();
    long until = first.chains().show(id, NAMED);
    assertThat(first.chains().show(id, WAITING)).isEqualTo(until);
    first.service.append(
        ledger,
        ledger.govern(
            Kind.GRANT,
            new Extension.Grant(
                Role.NORMAL,
                DAVE.publicKey(),
                OptionalLong.empty(),
                Optional.empty(),
                false,
                Optional.of(NAMED.digest())),
            Fixtures.ALICE));
    first.service.node.makeReadOnly(marked.strand().ledger(), 99, "one.example");
    Server second = new Server();
    assertThat(second.chains().find(id, NAMED.digest())).contains(NAMED);
    assertThat(second.chains().show(id, NAMED)).isEqualTo(Member.NEVER);
    assertThat(second.chains().show(id, WAITING)).isEqualTo(until);
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class,
            () -> second.service.append(marked, marked.single(++number)));
    assertThat(refusal.code()).isEqualTo(RejectionCode.READ_ONLY);
    assertThat(refusal.limit()).hasValue(99);
    assertThat(second.service.node.liftReadOnly(marked.strand().ledger(), Optional.empty()))
        .isTrue();
    second.service.append(marked, marked.single(++number));

    assertThat(second.chains().erase(id, NAMED.digest())).isTrue();
    assertThat(second.chains().erase(id, WAITING.digest())).isTrue();
    assertThat(objects().list()).isEmpty();
    for (Server each : servers) {
      assertThat(each.disk.list("objects")).as("nothing is on a server's disk").isEmpty();
    }
    Server third = new Server();
    assertThat(third.chains().find(id, NAMED.digest())).isEmpty();
    assertThat(third.chains().erase(id, WAITING.digest())).isFalse();
  }

  /// One snapshot was named by a purge, the other was only prepared.
  @Test
  void snapshotsAreThereWithTheirImages() throws Exception {
    Server first = begin();
    first.purge(ledger, first.prepare(ledger, 2 * KEYS));
    Snapshot prepared = first.prepare(marked, 2 * KEYS);
    Bytes genesis = first.purges().pseudoGenesis(ledger.strand());
    Bytes window = first.purges().window(ledger.strand());
    Bytes clues = first.purges().clues(ledger.strand(), 0, 0, 1 << 20).bytes();
    Bytes state = first.purges().state(ledger.strand(), 0, 0, 1 << 20).bytes();

    Server second = new Server();
    second.awaitImages(ledger);
    assertThat(second.purges().pseudoGenesis(ledger.strand())).isEqualTo(genesis);
    assertThat(second.purges().window(ledger.strand())).isEqualTo(window);
    assertThat(second.purges().clues(ledger.strand(), 0, 0, 1 << 20).bytes()).isEqualTo(clues);
    assertThat(second.purges().state(ledger.strand(), 0, 0, 1 << 20).bytes()).isEqualTo(state);
    Waiting.until("all are there", () -> second.disk.list("images").size() == 10);
    assertThat(second.disk.list("images")).isEqualTo(first.disk.list("images"));
    second.purge(marked, prepared);
    second.awaitErased(2);
    assertValues(second, ledger);
    assertValues(second, marked);

    Server third = new Server();
    assertThat(third.purges().pseudoGenesis(marked.strand())).isNotNull();
    third.awaitImages(ledger);
    third.awaitImages(marked);
    assertValues(third, ledger);
    assertValues(third, marked);
  }

  /// Images that hold an occulted value are replaced, in the volume too.
  @Test
  void anOccultedValueLeavesTheObjects() throws Exception {
    Server first = begin();
    Snapshot prepared = first.prepare(ledger, 2 * KEYS);
    first.occult(3);
    assertThat(found(volume, 3)).as("in the values' object").isNotEmpty();

    Server second = new Server();
    Waiting.until("its images are fetched", () -> !found(second.disk, 3).isEmpty());
    second.awaitErased(1);
    assertThat(found(volume, 3)).isEmpty();
    assertThat(found(second.disk, 3)).isEmpty();
    assertThat(found(volume, 4)).isNotEmpty();

    Server third = new Server();
    assertThat(found(third.disk, 3)).isEmpty();
    Waiting.until("its images are fetched", () -> !found(third.disk, 4).isEmpty());
    third.purge(ledger, prepared);
    third.awaitErased(2);
    var erased = third.service.node.state(ledger.strand(), key(3), StateReads.NEWEST, true);
    assertThat(erased.value().state()).isNotEqualTo(BodyState.PRESENT);
    var kept = third.service.node.state(ledger.strand(), key(4), StateReads.NEWEST, true);
    assertThat(kept.value().value().orElseThrow().value()).isEqualTo(value(4));
  }

  /// What an earlier claim has left and nothing names.
  @Test
  void whoeverClaimsDropsObjectsThatNoNoteNames() throws Exception {
    Server first = begin();
    first.chains().show(id, WAITING);
    first.occult(3);
    KeptObject left = ObjectStoreContract.put(objects(), Bytes.utf8("before its note was durable"));
    KeptObject begun =
        ObjectStoreContract.put(objects(() -> 2), Bytes.utf8("its note is under way"));
    Server second = new Server();
    second.awaitErased(1); // which comes behind the sweep
    assertThat(ObjectStoreContract.read(objects(), left)).isEmpty();
    assertThat(ObjectStoreContract.read(objects(), begun)).isPresent();
    assertThat(objects().list())
        .extracting(ObjectStore.Held::epoch)
        .as("the chain's, and the one that was begun")
        .containsExactlyInAnyOrder(1L, 2L);
    assertThat(second.chains().erase(id, WAITING.digest())).isTrue();
  }
}
