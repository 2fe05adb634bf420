package io.tallystick.server.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a service's keys are made once and never again: whatever is missing or wrong later is an
/// error, since with other keys every ledger would be orphaned. Method: damage the key files and
/// the recorded identity in each way and open again.
class ServiceKeyStoreTest {
  private static final Authority LOCALHOST = new Authority("localhost");

  @TempDir Path data;
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private Path keys;

  @BeforeEach
  void place() {
    keys = data.resolve("keys");
  }

  private ServiceIdentity open() throws IOException, ServiceKeysException {
    return open(LOCALHOST);
  }

  private ServiceIdentity open(Authority authority) throws IOException, ServiceKeysException {
    return new ServiceKeyStore(keys, meta, SignatureProviders.best()).open(authority).identity();
  }

  @Test
  void makesBothKeysOnceForTheOwnerAlone() throws Exception {
    ServiceIdentity first = open();
    assertThat(first.noteKey()).isNotEqualTo(first.receiptKey());
    for (String name : new String[] {"note.pem", "receipt.pem"}) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keys.resolve(name))))
          .isEqualTo("rw-------");
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keys)))
        .isEqualTo("rwx------");
    assertThat(open()).isEqualTo(first);
  }

  @Test
  void keepsTheAuthorityOfTheFirstStart() throws Exception {
    open();
    assertThat(open(new Authority("other.example:443")).authority()).isEqualTo(LOCALHOST);
  }

  @Test
  void neverMakesAMissingKeyAnew() throws Exception {
    open();
    Files.delete(keys.resolve("receipt.pem"));
    assertThatThrownBy(this::open)
        .isInstanceOf(ServiceKeysException.class)
        .hasMessageContaining("receipt.pem is missing");
    assertThat(keys.resolve("receipt.pem")).doesNotExist();
  }

  @Test
  void refusesKeysThatAreNotTheRecordedOnes() throws Exception {
    open();
    byte[] note = Files.readAllBytes(keys.resolve("note.pem"));
    Files.write(keys.resolve("receipt.pem"), note);
    assertThatThrownBy(this::open)
        .isInstanceOf(ServiceKeysException.class)
        .hasMessageContaining("receipt.pem holds key");
  }

  @Test
  void refusesAFileThatHoldsNoKeyWithoutShowingIt() throws Exception {
    open();
    Files.writeString(
        keys.resolve("note.pem"), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    assertThatThrownBy(this::open)
        .isInstanceOf(ServiceKeysException.class)
        .hasMessageContaining("note.pem: 3 bytes are no PKCS#8")
        .hasMessageNotContaining("AAAA");
  }

  @Test
  void refusesAKeyThatOthersMayReadOrWrite() throws Exception {
    open();
    Path note = keys.resolve("note.pem");
    for (String mode : new String[] {"rw-r-----", "rw----r--", "rw--w----", "rw-----w-"}) {
      Files.setPosixFilePermissions(note, PosixFilePermissions.fromString(mode));
      assertThatThrownBy(this::open)
          .isInstanceOf(ServiceKeysException.class)
          .hasMessageContaining("note.pem is open to others (" + mode + ")");
    }
    Files.setPosixFilePermissions(note, PosixFilePermissions.fromString("r--------"));
    open();
  }

  private ServiceIdentity openGiven() throws IOException, ServiceKeysException {
    return ServiceKeyStore.given(keys, meta, SignatureProviders.best()).open(LOCALHOST).identity();
  }

  @Test
  void makesNoneOfTheKeysThatAreGiven() throws Exception {
    assertThatThrownBy(this::openGiven)
        .isInstanceOf(ServiceKeysException.class)
        .hasMessage(
            "%s is missing; keys in this folder are given and a service makes none there: tally keys new --keys %s makes a pair",
            keys.resolve("note.pem"), keys);
    assertThat(keys).doesNotExist();
    ServiceKeyStore.makeFirstPair(keys, SignatureProviders.best());
    Files.delete(keys.resolve("receipt.pem"));
    assertThatThrownBy(this::openGiven)
        .isInstanceOf(ServiceKeysException.class)
        .hasMessageStartingWith(keys.resolve("receipt.pem") + " is missing; keys in this folder");
    assertThat(keys).isDirectoryNotContaining("glob:**receipt.pem*");
  }

  @Test
  void foundsAServiceOnGivenKeysAndDemandsThemFromThenOn() throws Exception {
    ServicePair made = ServiceKeyStore.makeFirstPair(keys, SignatureProviders.best());
    ServiceIdentity first = openGiven();
    assertThat(first.noteKey()).isEqualTo(made.noteKey().publicKey());
    assertThat(first.receiptKey()).isEqualTo(made.receiptKey().publicKey());
    assertThat(openGiven()).isEqualTo(first);
    assertThatThrownBy(() -> ServiceKeyStore.makeFirstPair(keys, SignatureProviders.best()))
        .isInstanceOf(ServiceKeysException.class);
    assertThat(openGiven()).isEqualTo(first);
    Path others = data.resolve("others");
    ServiceKeyStore.makeFirstPair(others, SignatureProviders.best());
    assertThatThrownBy(
            () -> ServiceKeyStore.given(others, meta, SignatureProviders.best()).open(LOCALHOST))
        .isInstanceOf(ServiceKeysException.class)
        .hasMessageContaining("note.pem holds key ");
  }

  @Test
  void refusesOneKeyGivenAsBoth() throws Exception {
    ServiceKeyStore.makeFirstPair(keys, SignatureProviders.best());
    Files.write(keys.resolve("note.pem"), Files.readAllBytes(keys.resolve("receipt.pem")));
    assertThatThrownBy(this::openGiven)
        .isInstanceOf(ServiceKeysException.class)
        .hasMessageContaining("are the same key");
  }

  @Test
  void refusesAShardWithoutARecordedIdentity() throws Exception {
    meta.write(
        new MetaBatch().put(SavepointRow.KEY, new SavepointRow(StreamStore.START, 1, 0).encode()));
    assertThatThrownBy(this::open).isInstanceOf(ServiceKeysException.class);
    assertThat(keys).doesNotExist();
  }

  @Test
  void refusesADamagedIdentity() throws Exception {
    open();
    meta.write(new MetaBatch().put(Bytes.utf8("i"), Bytes.fromHex("8401")));
    assertThatThrownBy(this::open)
        .isInstanceOf(ServiceKeysException.class)
        .hasMessageContaining("damaged");
  }

  private ServicePairs pairs() throws IOException, ServiceKeysException {
    return new ServiceKeyStore(keys, meta, SignatureProviders.best()).open(LOCALHOST);
  }

  /// What an owner asks for who rotates to this pair.
  private static RequestHeader rotationTo(ServicePair pair) throws MalformedException {
    return RequestHeader.decode(
        Fixtures.ledger()
            .govern(
                Kind.KEY_ROTATION,
                new Extension.KeyRotation(
                    pair.noteKey().publicKey(), pair.receiptKey().publicKey()),
                Fixtures.ALICE)
            .requests()
            .getFirst()
            .header());
  }

  @Test
  void makesAFurtherPairForTheOwnerAloneAndKeepsTheFirstAsItWas() throws Exception {
    open();
    byte[] first = Files.readAllBytes(keys.resolve("receipt.pem"));
    ServicePair pair = ServiceKeyStore.makePair(keys, SignatureProviders.best());
    Path folder = keys.resolve(pair.receiptKey().publicKey().kid().hex());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwx------");
    for (String name : new String[] {"note.pem", "receipt.pem"}) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(name))))
          .isEqualTo("rw-------");
    }
    assertThat(Files.readAllBytes(keys.resolve("receipt.pem"))).isEqualTo(first);
    try (Stream<Path> files = Files.list(keys)) {
      assertThat(files).hasSize(3);
    }
  }

  @Test
  void makesNoFurtherPairWhereNoServiceStarted() {
    assertThatThrownBy(() -> ServiceKeyStore.makePair(data, SignatureProviders.best()))
        .isInstanceOf(ServiceKeysException.class)
        .hasMessageContaining("holds no service keys");
    assertThat(data).isEmptyDirectory();
  }

  /// A pair made while the service runs is found when it is asked for, and kept from then on.
  @Test
  void findsAFurtherPairWhenItIsAskedForAndDemandsItFromThenOn() throws Exception {
    ServicePairs running = pairs();
    ServicePair pair = ServiceKeyStore.makePair(keys, SignatureProviders.best());
    Digest receiptKid = pair.receiptKey().publicKey().kid();
    Files.createDirectories(keys.resolve("0".repeat(64) + ".new"));
    assertThat(running.holdsReceiptKey(receiptKid)).isFalse();
    running.lookFor(rotationTo(pair));
    assertThat(running.holdsReceiptKey(receiptKid)).isTrue();
    assertThat(running.identity().receiptKey().kid()).isNotEqualTo(receiptKid);
    ServicePairs again = pairs();
    assertThat(again.identity().receiptKey().kid()).isEqualTo(receiptKid);
    assertThat(again.receiptKey(running.identity().receiptKey()).publicKey())
        .isEqualTo(running.identity().receiptKey());
    Files.delete(keys.resolve(receiptKid.hex()).resolve("note.pem"));
    assertThatThrownBy(this::open)
        .isInstanceOf(ServiceKeysException.class)
        .hasMessageContaining("note.pem is missing");
  }

  @Test
  void demandsNoPairThatNobodyAskedFor() throws Exception {
    ServiceIdentity first = open();
    ServicePair pair = ServiceKeyStore.makePair(keys, SignatureProviders.best());
    Path folder = keys.resolve(pair.receiptKey().publicKey().kid().hex());
    Files.delete(folder.resolve("note.pem"));
    assertThat(open()).isEqualTo(first);
    ServicePairs running = pairs();
    assertThatThrownBy(() -> running.lookFor(rotationTo(pair)))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE));
  }

  @Test
  void refusesARecordedPairThatIsDamaged() throws Exception {
    open();
    meta.write(new MetaBatch().put(Bytes.fromHex("6900000002"), Bytes.fromHex("8301")));
    assertThatThrownBy(this::open)
        .isInstanceOf(ServiceKeysException.class)
        .hasMessageContaining("row 6900000002, want 6900000001");
  }

  /// A first start may die after any of its steps; the next one ends it, with what is there.
  @Test
  void endsAFirstStartThatWasCutShort() throws Exception {
    ServiceIdentity before = open();
    meta.write(new MetaBatch().delete(Bytes.utf8("i")));
    Files.delete(keys.resolve("receipt.pem"));
    Files.write(keys.resolve("receipt.pem.new"), new byte[] {1, 2, 3});
    ServiceIdentity after = open();
    assertThat(after.noteKey()).isEqualTo(before.noteKey());
    assertThat(after.receiptKey()).isNotEqualTo(before.receiptKey());
    assertThat(open()).isEqualTo(after);
  }

  /// What a power cut leaves of a file whose bytes never reached the disk.
  @Test
  void replacesAnEmptyKeyFileOfAFirstStart() throws Exception {
    Files.createDirectories(keys);
    Files.createFile(keys.resolve("note.pem"));
    ServiceIdentity identity = open();
    assertThat(open()).isEqualTo(identity);
  }
}
