package io.tallystick.client.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.TrustStoreException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.durable.FileSteps;
import io.tallystick.durable.LocalFileSteps;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.reference.ReferenceTree;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a client believes a key that genesis does not name only by a key chain that verifies,
/// whose heads are heads of the log it trusts. Method: a log that was rotated, in the place of a
/// service, which shows this or that chain.
class FollowedKeysTest {
  private static final Fixtures LEDGER = Fixtures.ledger();
  private static final Signatures SIGNATURES = SignatureProviders.best();
  private static final int ROTATION = 2;
  private static final int LAST_OLD = 4;
  private static final int FIRST_NEW = 6;
  private static final ReferenceLedger LOG = rotatedThen(1);

  @TempDir private Path directory;
  private KeyChain shown = LOG.chain(ROTATION);
  private Optional<TallyException> unshown = Optional.empty();
  private int fetches;

  /// The rotation is at 2, one journal by the new keys at 4, one more at 6.
  private static ReferenceLedger rotatedThen(int journal) {
    return ReferenceLedger.found(LEDGER)
        .block(LEDGER.rotation())
        .rotated(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT)
        .block(LEDGER.single(journal))
        .block(LEDGER.single(7));
  }

  private static ReferenceTree tree() {
    List<Bytes> leaves = new ArrayList<>();
    for (int jsn = 0; jsn < LOG.size(); jsn++) {
      leaves.add(LOG.leaf(jsn));
    }
    return new ReferenceTree(leaves);
  }

  private TrustedLog open() throws Exception {
    return open(new LocalFileSteps());
  }

  private TrustedLog open(FileSteps files) throws Exception {
    TrustFolder folder = TrustFolder.open(directory, LOG.strand().ledger(), files);
    if (folder.genesis().isEmpty()) {
      folder.saveGenesis(LOG.params());
    }
    return TrustedLog.open(
        ServiceTrust.of(LOG.strand().ledger(), LOG.params(), SIGNATURES),
        SIGNATURES,
        folder,
        (unused, from, to) ->
            new ConsistencyProof(
                from.value(),
                to.value(),
                tree().consistencyPath((int) from.value(), (int) to.value())),
        unused -> {
          fetches++;
          if (unshown.isPresent()) {
            throw unshown.get();
          }
          return shown;
        });
  }

  private static SignedHead join(TrustedLog log, ReceiptFile file) throws Exception {
    SignedHead head = log.judge(keys -> file.verify(LOG.strand(), keys, SIGNATURES));
    log.join(head);
    return head;
  }

  private ProofRejectedException refusal(TrustedLog log, ReceiptFile file) {
    ProofRejectedException refused =
        catchThrowableOfType(ProofRejectedException.class, () -> join(log, file));
    assertThat(refused).isNotNull();
    return refused;
  }

  private Path chainFile() {
    return directory.resolve(LOG.strand().ledger().hex()).resolve("key-chain");
  }

  @Test
  void aReceiptByTheNewKeyIsVerifiedByTheKeyChainAndWithoutTheServiceAfterwards() throws Exception {
    try (TrustedLog log = open()) {
      join(log, LOG.receiptFile(0, 2));
      join(log, LOG.receiptFile(ROTATION, LAST_OLD));
      assertThat(fetches).isZero();
      join(log, LOG.receiptFile(4, FIRST_NEW));
      assertThat(log.trust().keys()).isEqualTo(LOG.keys());
      join(log, LOG.receiptFile(6, 8));
      join(log, LOG.receiptFile(1, 2));
      assertThat(fetches).isEqualTo(1);
    }
    shown = KeyChain.EMPTY;
    try (TrustedLog log = open()) {
      assertThat(log.head().orElseThrow().size().value()).isEqualTo(8);
      join(log, LOG.receiptFile(4, FIRST_NEW));
    }
    assertThat(fetches).isEqualTo(1);
    assertThat(TrustedLog.saved(directory, LOG.strand().ledger(), SIGNATURES)).isPresent();
  }

  @Test
  void aChainThatDoesNotVerifyIsRefusedAndNotKept() throws Exception {
    ReferenceLedger byNoOwner =
        ReferenceLedger.found(LEDGER)
            .block(
                LEDGER.service(
                    Kind.KEY_ROTATION,
                    new Extension.KeyRotation(
                        Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey()),
                    List.of(Fixtures.RECEIPT, Fixtures.NEXT_RECEIPT)))
            .rotated(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT)
            .block(LEDGER.single(1));
    shown = byNoOwner.chain(ROTATION);
    try (TrustedLog log = open()) {
      join(log, LOG.receiptFile(0, 2));
      ProofRejectedException refused = refusal(log, byNoOwner.receiptFile(4, FIRST_NEW));
      assertThat(refused.reason()).isEqualTo(Reason.MISSING);
      assertThat(refused.getSuppressed()).hasSize(1);
      assertThat(fetches).isEqualTo(1);
      assertThat(log.trust().keys().terms()).hasSize(1);
      assertThat(log.head().orElseThrow().size().value()).isEqualTo(2);
    }
    assertThat(chainFile()).doesNotExist();
  }

  @Test
  void aKeyThatNoChainShowsStaysRefused() throws Exception {
    SeededSigner stranger = SeededSigner.ed25519("last receipt");
    try (TrustedLog log = open()) {
      join(log, LOG.receiptFile(0, 2));
      assertThat(refusal(log, LOG.receiptFile(4, FIRST_NEW, stranger)).reason())
          .isEqualTo(Reason.WRONG_KEY);
      assertThat(refusal(log, LOG.receiptFile(4, FIRST_NEW, Fixtures.RECEIPT)).reason())
          .as("the old key above its last size")
          .isEqualTo(Reason.WRONG_KEY);
      shown = KeyChain.EMPTY;
      assertThat(refusal(log, LOG.receiptFile(4, FIRST_NEW, stranger)).reason())
          .as("a chain without the rotation that is known")
          .isEqualTo(Reason.BROKEN_CHAIN);
    }
  }

  @Test
  void aChainOfAnotherHistoryIsAFork() throws Exception {
    ReferenceLedger other =
        ReferenceLedger.found(LEDGER)
            .block(LEDGER.single(3))
            .block(LEDGER.rotation())
            .rotated(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT)
            .block(LEDGER.single(4));
    ReferenceLedger old =
        ReferenceLedger.found(LEDGER).block(LEDGER.rotation()).block(LEDGER.single(1));
    shown = other.chain(4);
    try (TrustedLog log = open()) {
      join(log, LOG.receiptFile(0, 2));
      // Not rotated as far as this client knows.
      join(log, old.receiptFile(4, 6, Fixtures.RECEIPT));
      VerificationException fork =
          catchThrowableOfType(
              VerificationException.class, () -> join(log, other.receiptFile(6, 8)));
      assertThat(fork.reason()).isEqualTo(Reason.FORK);
      assertThat(log.trust().keys().terms()).hasSize(1);
    }
    assertThat(chainFile()).doesNotExist();
  }

  @Test
  void aHeadThatAnotherProcessTrustsIsJudgedByTheChainItStored() throws Exception {
    try (TrustedLog one = open();
        TrustedLog other = open()) {
      join(one, LOG.receiptFile(0, 2));
      join(other, LOG.receiptFile(0, 2));
      join(one, LOG.receiptFile(4, FIRST_NEW));
      assertThat(fetches).isEqualTo(1);
      join(other, LOG.receiptFile(ROTATION, LAST_OLD));
      assertThat(other.head().orElseThrow().size().value()).isEqualTo(FIRST_NEW);
      assertThat(other.trust().keys()).isEqualTo(LOG.keys());
      assertThat(fetches).isEqualTo(1);
    }
  }

  @Test
  void aFolderThatAnotherProcessChangesWhileItIsReadIsNotTakenForDamaged() throws Exception {
    Path folder = Objects.requireNonNull(chainFile().getParent());
    for (String file : List.of("anchors-0", "head-0", "key-chain")) {
      try (TrustedLog log = open()) {
        join(log, LOG.receiptFile(0, 2));
      }
      try (TrustedLog log = open(changedAfterReading(folder.resolve(file)))) {
        assertThat(log.anchors().all()).as("changed after reading %s", file).isEmpty();
      }
      assertThat(folder.resolve("anchors-0")).exists();
      Files.move(folder, directory.resolve("after-" + file));
    }
  }

  /// Once that file was read, another process follows the new keys, joins a head and sets it as an
  /// anchor.
  private FileSteps changedAfterReading(Path file) {
    AtomicBoolean changed = new AtomicBoolean();
    FileSteps local = new LocalFileSteps();
    return (FileSteps)
        Proxy.newProxyInstance(
            FileSteps.class.getClassLoader(),
            new Class<?>[] {FileSteps.class},
            (unused, method, arguments) -> {
              Object result = method.invoke(local, arguments);
              boolean read = method.getName().equals("read") && file.equals(arguments[0]);
              if (read && changed.compareAndSet(false, true)) {
                try (TrustedLog other = open()) {
                  other.setAnchor(join(other, LOG.receiptFile(4, FIRST_NEW)));
                }
              }
              return result;
            });
  }

  @Test
  void anAnchorByAKeyThatOnlyAnotherProcessFollowedIsKept() throws Exception {
    try (TrustedLog one = open();
        TrustedLog other = open()) {
      SignedHead first = join(one, LOG.receiptFile(0, 2));
      join(other, LOG.receiptFile(0, 2));
      SignedHead second = join(one, LOG.receiptFile(4, FIRST_NEW));
      one.setAnchor(second);
      other.setAnchor(first);
      assertThat(other.anchors().all()).containsExactly(first, second);
      assertThat(other.trust().keys()).isEqualTo(LOG.keys());
    }
  }

  @Test
  void aServiceThatShowsNoChainNowDoesNotHideTheRefusal() throws Exception {
    unshown = Optional.of(new ServiceUnavailableException("gone", false));
    try (TrustedLog log = open()) {
      join(log, LOG.receiptFile(0, 2));
      ServiceUnavailableException gone =
          catchThrowableOfType(
              ServiceUnavailableException.class, () -> join(log, LOG.receiptFile(4, FIRST_NEW)));
      assertThat(gone.getSuppressed())
          .singleElement()
          .isInstanceOfSatisfying(
              ProofRejectedException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.WRONG_KEY));
    }
  }

  @Test
  void aStoredChainThatIsDamagedIsNotHealed() throws Exception {
    try (TrustedLog log = open()) {
      join(log, LOG.receiptFile(0, 2));
      join(log, LOG.receiptFile(4, FIRST_NEW));
    }
    byte[] chain = Files.readAllBytes(chainFile());
    chain[chain.length / 2] ^= 1;
    Files.write(chainFile(), chain);
    assertThat(catchThrowableOfType(TrustStoreException.class, this::open))
        .hasMessageContaining("key chain");
    Files.delete(chainFile());
    assertThat(catchThrowableOfType(TrustStoreException.class, this::open))
        .hasMessageContaining("WRONG_KEY");
  }
}
