package io.tallystick.cose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import org.junit.jupiter.api.Test;

/// Goal: no message is made that a reader must refuse. Method: each part at its limit, then one
/// byte more.
class CoseSign1Test {
  private static final Bytes SIGNATURE = zeros(CoseSign1.SIGNATURE_BYTES);

  @Test
  void takesEachPartAtItsLimit() throws MalformedException {
    CoseSign1 largest =
        new CoseSign1(
            zeros(CoseSign1.PROTECTED_BYTES_MAX),
            zeros(CoseSign1.INCLUSION_PROOF_BYTES_MAX),
            zeros(CoseSign1.PAYLOAD_BYTES_MAX),
            SIGNATURE);
    assertThat(CoseSign1.decode(largest.encode())).isEqualTo(largest);
  }

  @Test
  void refusesToMakeAMessageWithALargerPart() {
    Bytes header = zeros(CoseSign1.PROTECTED_BYTES_MAX + 1);
    Bytes proof = zeros(CoseSign1.INCLUSION_PROOF_BYTES_MAX + 1);
    Bytes payload = zeros(CoseSign1.PAYLOAD_BYTES_MAX + 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CoseSign1(header, null, null, SIGNATURE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CoseSign1(Bytes.EMPTY, proof, null, SIGNATURE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CoseSign1(Bytes.EMPTY, null, payload, SIGNATURE));
  }

  private static Bytes zeros(int count) {
    return Bytes.wrap(new byte[count]);
  }
}
