package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.GenesisProtected;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Goal: an attestation is bounded in signers and bytes, exactly. Method: the largest of each that
/// is allowed, then one more.
class AttestationTest {
  private static final Bytes SIGNATURE = Bytes.wrap(new byte[CoseSign1.SIGNATURE_BYTES]);

  @Test
  void takesSixteenSignersAndNoMore() throws MalformedException {
    Attestation sixteen = new Attestation(signatures(16, 0));
    assertThat(Attestation.decode(sixteen.encode())).isEqualTo(sixteen);
    Bytes seventeen = new Attestation(signatures(17, 0)).encode();
    assertThatThrownBy(() -> Attestation.decode(seventeen)).isInstanceOf(MalformedException.class);
  }

  @Test
  void onlyPurgeAndCloseTakeTwoHundredSigners() throws MalformedException {
    Attestation most = new Attestation(signatures(200, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new Attestation(signatures(201, 0)));
    for (Kind kind : Kind.values()) {
      if (kind == Kind.PURGE || kind == Kind.CLOSE) {
        assertThat(Attestation.decode(most.encode(), kind)).isEqualTo(most);
      } else {
        assertThatThrownBy(() -> Attestation.decode(most.encode(), kind))
            .as("%s", kind)
            .isInstanceOf(MalformedException.class)
            .hasMessageContaining("200 items, at most 16");
      }
    }
  }

  @Test
  void takes64KibibytesAndNoByteMore() throws MalformedException {
    List<CoseSign1> three = signatures(3, 16_200);
    Bytes less = with(three, 16_200).encode();
    int last = 16_200 + Limits.ATTESTATION_BYTES_MAX - less.size();
    Attestation largest = with(three, last);
    assertThat(Attestation.decode(largest.encode())).isEqualTo(largest);
    Bytes larger = with(three, last + 1).encode();
    assertThat(larger.size()).isEqualTo(Limits.ATTESTATION_BYTES_MAX + 1);
    assertThatThrownBy(() -> Attestation.decode(larger)).isInstanceOf(MalformedException.class);
  }

  private static Attestation with(List<CoseSign1> others, int payloadBytes) {
    List<CoseSign1> all = new ArrayList<>(others);
    all.add(signature(others.size(), payloadBytes));
    return new Attestation(all);
  }

  private static List<CoseSign1> signatures(int count, int payloadBytes) {
    return IntStream.range(0, count).mapToObj(i -> signature(i, payloadBytes)).toList();
  }

  private static CoseSign1 signature(int kid, int payloadBytes) {
    byte[] bytes = new byte[Digest.BYTES];
    bytes[0] = (byte) kid;
    Bytes header = new GenesisProtected(SignatureAlgorithm.ED25519, Digest.of(bytes)).encode();
    return new CoseSign1(header, null, Bytes.wrap(new byte[payloadBytes]), SIGNATURE);
  }
}
