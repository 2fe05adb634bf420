package io.tallystick.server.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cbor.CborWriter;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.node.Member;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.TestAuthority;
import org.junit.jupiter.api.Test;

/// Goal: rows and objects of chains are read as they were written, in both versions, and nothing
/// else is one.
class ChainRowTest {
  private static final CertificateChain CHAIN =
      TestAuthority.root("root").chain("Alice", Fixtures.ALICE.publicKey());
  private static final LedgerId LEDGER = Fixtures.ledger().params().ledgerId();
  private static final LedgerId OTHER = new LedgerId(Digest.ZERO);
  private static final long UNTIL_MS = 1_800_000_000_000L;

  static Bytes encodeVersion1(long untilMs, CertificateChain chain) {
    return new CborWriter(64).array(3).uint(1).uint(untilMs).bytes(chain.encode()).toBytes();
  }

  @Test
  void rowsAreReadBack() throws Exception {
    ChainRow.InObject object = new ChainRow.InObject(1_000, CHAIN.digest());
    assertThat(ChainRow.decode(ChainRow.encode(UNTIL_MS, object)))
        .isEqualTo(new ChainRow(UNTIL_MS, object));
    assertThat(ChainRow.decode(ChainRow.encode(Member.NEVER, object)))
        .isEqualTo(new ChainRow(Member.NEVER, object));
    assertThat(ChainRow.decode(encodeVersion1(UNTIL_MS, CHAIN)))
        .isEqualTo(new ChainRow(UNTIL_MS, new ChainRow.InRow(CHAIN)));
    Bytes key = ChainRow.key(LEDGER, CHAIN.digest());
    assertThat(ChainRow.ledger(key)).isEqualTo(LEDGER);
    assertThat(ChainRow.certDigest(key)).isEqualTo(CHAIN.digest());
  }

  @Test
  void otherRowsAreRefused() {
    Bytes row = ChainRow.encode(UNTIL_MS, new ChainRow.InObject(1_000, CHAIN.digest()));
    for (Bytes bad :
        new Bytes[] {
          Bytes.EMPTY,
          row.slice(0, row.size() - 1),
          new CborWriter(8).array(2).uint(2).nil().toBytes(),
          new CborWriter(8).array(4).uint(1).nil().uint(1).uint(1).toBytes(),
          ChainRow.encode(
              UNTIL_MS, new ChainRow.InObject(ChainObject.BYTES_MAX + 1, CHAIN.digest())),
        }) {
      assertThatThrownBy(() -> ChainRow.decode(bad)).isInstanceOf(MalformedException.class);
    }
    assertThatThrownBy(() -> ChainRow.ledger(Bytes.utf8("x")))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void anObjectIsOfOneLedger() throws Exception {
    Bytes object = ChainObject.encode(LEDGER, CHAIN);
    assertThat(object).isNotEqualTo(ChainObject.encode(OTHER, CHAIN));
    assertThat(ChainObject.decode(object, LEDGER, CHAIN.digest())).isEqualTo(CHAIN);
    assertThatThrownBy(() -> ChainObject.decode(object, OTHER, CHAIN.digest()))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> ChainObject.decode(object, LEDGER, Digest.ZERO))
        .isInstanceOf(MalformedException.class);
    for (int size = 0; size < object.size(); size++) {
      Bytes cut = object.slice(0, size);
      assertThatThrownBy(() -> ChainObject.decode(cut, LEDGER, CHAIN.digest()))
          .isInstanceOf(MalformedException.class);
    }
  }
}
