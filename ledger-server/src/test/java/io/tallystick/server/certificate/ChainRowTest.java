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
import io.tallystick.storage.object.KeptObject;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.TestAuthority;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: rows and objects of chains are read as they were written, in all versions, and nothing
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

  private static KeptObject object(long bytes, String place) {
    return new KeptObject(CHAIN.digest(), bytes, Bytes.utf8(place));
  }

  /// As an earlier version wrote it.
  private static Bytes encodeVersion2(long bytes) {
    return new CborWriter(64)
        .array(4)
        .uint(2)
        .nil()
        .uint(bytes)
        .bytes(CHAIN.digest().toBytes())
        .toBytes();
  }

  @Test
  void rowsAreReadBack() throws Exception {
    for (String place : List.of("", "a place")) {
      KeptObject object = object(1_000, place);
      for (long until : List.of(UNTIL_MS, Member.NEVER)) {
        ChainRow row = ChainRow.decode(ChainRow.encode(until, object));
        assertThat(row).isEqualTo(new ChainRow(until, new ChainRow.InObject(object)));
        assertThat(row.object()).contains(object);
      }
    }
    assertThat(ChainRow.encode(Member.NEVER, object(1_000, "")))
        .as("of a data directory")
        .isEqualTo(encodeVersion2(1_000));
    ChainRow first = ChainRow.decode(encodeVersion1(UNTIL_MS, CHAIN));
    assertThat(first).isEqualTo(new ChainRow(UNTIL_MS, new ChainRow.InRow(CHAIN)));
    assertThat(first.object()).isEmpty();
    Bytes key = ChainRow.key(LEDGER, CHAIN.digest());
    assertThat(ChainRow.ledger(key)).isEqualTo(LEDGER);
    assertThat(ChainRow.certDigest(key)).isEqualTo(CHAIN.digest());
  }

  @Test
  void otherRowsAreRefused() {
    Bytes row = ChainRow.encode(UNTIL_MS, object(1_000, ""));
    Bytes placed = ChainRow.encode(UNTIL_MS, object(1_000, "a place"));
    for (Bytes bad :
        new Bytes[] {
          Bytes.EMPTY,
          row.slice(0, row.size() - 1),
          placed.slice(0, placed.size() - 1),
          new CborWriter(8).array(2).uint(2).nil().toBytes(),
          new CborWriter(8).array(4).uint(1).nil().uint(1).uint(1).toBytes(),
          encodeVersion2(0),
          encodeVersion2(ChainObject.BYTES_MAX + 1),
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
