package io.tallystick.master.tledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.head.ServiceKeys;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.Fixtures;
import org.junit.jupiter.api.Test;

/// Goal: whoever holds a key that was rotated away cannot go on with a chain that ends before the
/// rotation. Method: chains with none, one and two rotations, one after the other.
class SubmitterTest {
  private final ServiceKeys genesis =
      new ServiceKeys(
          new Authority("localhost"), Fixtures.NOTE.publicKey(), Fixtures.RECEIPT.publicKey());
  private final ServiceKeys rotated =
      genesis.rotated(
          new Jsn(4), Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey());
  private final ServiceKeys again =
      rotated.rotated(new Jsn(9), Fixtures.CAROL.publicKey(), Fixtures.ALICE.publicKey());
  private final ServiceKeys other =
      genesis.rotated(new Jsn(4), Fixtures.CAROL.publicKey(), Fixtures.ALICE.publicKey());

  @Test
  void aChainNeverGetsShorter() {
    Submitter submitter = new Submitter();
    assertThat(submitter.continuedBy(genesis)).isTrue();
    submitter.introduce(Bytes.utf8("one rotation"), rotated);
    assertThat(submitter.keys(Bytes.utf8("one rotation"))).contains(rotated);
    assertThat(submitter.keys(Bytes.utf8("another"))).isEmpty();
    assertThat(submitter.continuedBy(genesis)).isFalse();
    assertThat(submitter.continuedBy(other)).isFalse();
    assertThat(submitter.continuedBy(rotated)).isTrue();
    assertThat(submitter.continuedBy(again)).isTrue();
  }
}
