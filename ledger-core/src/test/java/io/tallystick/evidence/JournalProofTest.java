package io.tallystick.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Signatures;
import io.tallystick.journal.BodyOpening;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SampleJournalProof;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: a journal proof ties one document to one journal and nothing else does. Method: one bit of
/// each byte of proof and document is flipped, each cut is made; documents of every length at which
/// a CBOR head grows are hashed as a stream of small pieces; a document without end is not read on.
class JournalProofTest {
  private static final Fixtures LEDGER = Fixtures.ledger();
  private static final StrandId STRAND = LEDGER.strand();
  private static final Signatures SIGNATURES = new JdkSignatures(new SplittableRandom(1));

  private final ReferenceLedger log =
      ReferenceLedger.found(LEDGER)
          .block(LEDGER.submission(LEDGER.requests(1, 3), Fixtures.ALICE, Fixtures.BOB));
  private final JournalProof proof = SampleJournalProof.of(log, 3);
  private final Bytes document = SampleJournalProof.document(log, 3);

  @Test
  void saysWhoSignedTheDocumentAndWhere() throws Exception {
    JournalProof.Verified verified =
        JournalProof.decode(proof.encode()).verify(STRAND, SIGNATURES, document);
    assertThat(verified.jsn().value()).isEqualTo(3);
    assertThat(verified.signers())
        .containsExactlyElementsOf(
            Fixtures.owners().stream().map(owner -> owner.publicKey().kid()).toList());
    assertThat(verified.contentType()).isEqualTo("text/plain");
    assertThat(verified.payloadBytes()).isEqualTo(document.size());
    assertThat(verified.head().size().value()).isEqualTo(log.size());
    assertThat(proof.encode().hex()).doesNotContain(document.hex());
    assertThat(proof.toString()).doesNotContain(proof.opening().salt().hex());
  }

  @Test
  void noBitOfAProofCanBeFlipped() throws Exception {
    Bytes genuine = proof.encode();
    SplittableRandom random = new SplittableRandom(genuine.size());
    for (int i = 0; i < genuine.size(); i++) {
      byte[] bent = genuine.toArray();
      bent[i] ^= (byte) (1 << random.nextInt(8));
      assertThat(rejected(Bytes.wrap(bent), document)).as("byte %d", i).isTrue();
      assertThat(rejected(genuine.slice(0, i), document)).as("cut at %d", i).isTrue();
    }
  }

  @Test
  void noOtherDocumentFits() {
    for (int i = 0; i < document.size(); i++) {
      byte[] bent = document.toArray();
      bent[i] ^= 1;
      assertMismatch(Bytes.wrap(bent));
      assertMismatch(document.slice(0, i));
    }
    assertMismatch(Bytes.fromHex(document.hex() + "00"));
    assertMismatch(SampleJournalProof.document(log, 2));
  }

  @Test
  void hashesADocumentOfAnyLengthAsAStream() throws Exception {
    for (int length : new int[] {0, 1, 23, 24, 255, 256, 65_535, 65_536, 1 << 20}) {
      byte[] payload = new byte[length];
      new SplittableRandom(length).nextBytes(payload);
      ReferenceLedger single =
          ReferenceLedger.found(LEDGER)
              .block(
                  LEDGER.submission(
                      RequestDraft.append(
                              STRAND,
                              Bytes.copyOf(payload),
                              "",
                              LEDGER.timeMs(),
                              Fixtures.bytes32("salt"))
                          .build(),
                      Fixtures.ALICE));
      JournalProof one = SampleJournalProof.of(single, 2);
      InputStream inPieces =
          new ByteArrayInputStream(payload) {
            @Override
            public synchronized int read(byte[] into, int offset, int count) {
              return super.read(into, offset, Math.min(count, 1000));
            }
          };
      JournalProof.Verified verified = one.verify(STRAND, SIGNATURES, inPieces);
      assertThat(verified.payloadBytes()).isEqualTo(length);
    }
  }

  @Test
  void readsNoDocumentWithoutEnd() {
    InputStream endless =
        new InputStream() {
          private int read;

          @Override
          public int read() {
            throw new AssertionError("read byte by byte");
          }

          @Override
          public int read(byte[] into, int offset, int count) {
            read += count;
            if (read > 2 * document.size()) {
              throw new AssertionError("read on");
            }
            return count;
          }
        };
    assertThatThrownBy(() -> proof.verify(STRAND, SIGNATURES, endless))
        .isInstanceOfSatisfying(
            ProofRejectedException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.COMMITMENT_MISMATCH));
  }

  @Test
  void noPayloadIsLeftBetweenTwoHeads() throws Exception {
    // A body that leaves 25 bytes to payload and head has none: 23 need 24, 24 need 26.
    Bytes rest = Bytes.fromHex(proof.opening().rest().hex() + "00");
    BodyOpening opening = new BodyOpening(proof.opening().salt(), rest);
    int left = 25;
    ReferenceLedger single = ReferenceLedger.found(LEDGER).block(LEDGER.single(1));
    RequestHeader header = ShownJournal.of(single.leaf(2)).header();
    RequestHeader sized =
        new RequestHeader(
            header.strand(),
            header.kind(),
            header.clientSeq(),
            header.clientTimeMs(),
            header.expiresMs(),
            header.bodyCommit(),
            1 + left + rest.size(),
            header.clueIds(),
            header.opsRoot(),
            header.opsCount(),
            header.extension());
    assertThatThrownBy(() -> opening.verify(sized, InputStream.nullInputStream()))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageContaining("no body of");
  }

  private void assertMismatch(Bytes other) {
    assertThatThrownBy(() -> proof.verify(STRAND, SIGNATURES, other))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageStartingWith("COMMITMENT_MISMATCH: the header says bodyCommit ");
  }

  private static boolean rejected(Bytes bent, Bytes document) {
    try {
      JournalProof.decode(bent).verify(STRAND, SIGNATURES, document);
      return false;
    } catch (MalformedException | ProofRejectedException e) {
      return true;
    }
  }
}
