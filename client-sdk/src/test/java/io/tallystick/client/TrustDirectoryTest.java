package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.TrustStoreException;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.crypto.provider.SignatureProviders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a trust directory from which something was taken, or in which something was changed, is
/// told with the file, and never taken for that of a client who meets the ledger for the first
/// time. Method: the files of a client that has a trusted head, one of them gone or altered.
class TrustDirectoryTest {
  @TempDir private Path trust;
  private ServiceFixture fixture;
  private Path genesis;
  private Path pending;
  private Path head;

  @BeforeEach
  void trustAHead() throws TallyException {
    fixture = new ServiceFixture(trust);
    fixture.ledger.append(JournalDraft.text("trusted"));
    fixture.client.close();
    Path folder = trust.resolve(fixture.id().hex());
    genesis = folder.resolve("genesis");
    pending = folder.resolve("genesis-pending");
    head = folder.resolve("head-0");
    assertThat(genesis).exists();
    assertThat(head).exists();
    assertThat(pending).doesNotExist();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static void tells(Path file, String words, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(TrustStoreException.class)
        .hasMessageStartingWith(file + " " + words);
  }

  private LedgerHandle open() throws TallyException {
    try (TallyClient client = ServiceFixture.connect(fixture.service, trust)) {
      return client.open(fixture.id());
    }
  }

  private void savedHead() throws TallyException {
    TrustedLog.saved(trust, fixture.id(), SignatureProviders.best());
  }

  @Test
  void tellsThatTheTrustedHeadWasTakenAway() throws IOException {
    Files.delete(head);
    tells(head, "is missing beside genesis", this::open);
    tells(head, "is missing beside genesis", this::savedHead);
    assertThat(head).doesNotExist();
  }

  @Test
  void tellsThatTheTrustedHeadWasTakenAwayWhileItWasInUse() throws Exception {
    try (TallyClient client = ServiceFixture.connect(fixture.service, trust)) {
      LedgerHandle ledger = client.open(fixture.id(), fixture.owner);
      Files.delete(head);
      tells(head, "is missing", () -> ledger.append(JournalDraft.text("never trusted")));
      assertThat(head).doesNotExist();
    }
  }

  @Test
  void tellsThatTheGenesisIsDamaged() throws IOException {
    byte[] params = Files.readAllBytes(genesis);
    params[params.length / 2] ^= 1;
    Files.write(genesis, params);
    tells(genesis, "is damaged", this::open);
    tells(genesis, "is damaged", this::savedHead);
    tells(genesis, "is damaged", () -> ReceiptVerifier.fromTrustStore(trust, fixture.id()));
    Files.write(genesis, new byte[0]);
    tells(genesis, "is damaged", this::open);
  }

  @Test
  void tellsThatTheGenesisIsMissingBesideAHead() throws Exception {
    Files.delete(genesis);
    tells(genesis, "is missing beside head-0", this::savedHead);
    // A client has it from the service again: the pinned id is its hash.
    assertThat(open().trustedHead().orElseThrow().size().value()).isEqualTo(4);
    assertThat(genesis).exists();
  }

  /// The service was gone before it had shown a head.
  @Test
  void goesOnWithAFirstMeetingThatWasCutOff() throws Exception {
    Files.move(genesis, pending);
    Files.delete(head);
    savedHead();
    assertThat(open().trustedHead().orElseThrow().size().value()).isEqualTo(2);
    assertThat(head).exists();
    assertThat(genesis).exists();
    assertThat(pending).doesNotExist();
  }

  /// A crash between the first head and the renaming: the head is not forgotten.
  @Test
  void endsAFirstMeetingWhoseHeadWasStored() throws Exception {
    Files.move(genesis, pending);
    assertThat(open().trustedHead().orElseThrow().size().value()).isEqualTo(4);
    assertThat(genesis).exists();
    assertThat(pending).doesNotExist();
    Files.delete(head);
    tells(head, "is missing", this::open);
  }
}
