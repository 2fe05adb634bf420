package io.tallystick.cose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: each profile has one encoding. Method: round trip, and a label more, less or changed.
class ProtectedHeaderTest {
  private static final Digest KID = Digest.fromHex("11".repeat(32));
  private static final StrandId STRAND = new StrandId(LedgerId.fromHex("22".repeat(32)), 7);

  static List<ProtectedHeader> headers() {
    SignatureAlgorithm alg = SignatureAlgorithm.ES256;
    return List.of(
        new RequestProtected(alg, KID, STRAND),
        new ServiceRequestProtected(alg, KID, STRAND),
        new BatchProtected(alg, KID, STRAND, BatchProtected.COUNT_MIN),
        new BatchProtected(alg, KID, STRAND, BatchProtected.COUNT_MAX),
        new GenesisProtected(alg, KID),
        new AnchorProtected(alg, KID, STRAND),
        new ErasureProtected(alg, KID, STRAND),
        new ReceiptProtected(KID, new Authority("localhost:8080"), STRAND, new TreeSize(99)),
        new ReceiptProtected(KID, new Authority("a".repeat(128)), STRAND, new TreeSize(99)));
  }

  @ParameterizedTest
  @MethodSource("headers")
  void roundTrips(ProtectedHeader header) throws MalformedException {
    Bytes encoded = header.encode();
    assertThat(ProtectedHeader.decode(encoded)).isEqualTo(header);
    assertThat(ProtectedHeader.typ(encoded)).isEqualTo(header.typ());
    assertThat(ProtectedHeader.kid(encoded)).isEqualTo(KID);
  }

  @ParameterizedTest
  @MethodSource("headers")
  void refusesOneLabelMore(ProtectedHeader header) {
    byte[] encoded = header.encode().toArray();
    encoded[0]++;
    Bytes more = Bytes.fromHex(Bytes.wrap(encoded).hex() + "3a000111ff00");
    assertThatThrownBy(() -> ProtectedHeader.decode(more))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(
            header instanceof ReceiptProtected
                ? "labels with 15, want"
                : "labels without 15, want");
  }

  @ParameterizedTest
  @MethodSource("headers")
  void refusesAByteBehindTheLastLabel(ProtectedHeader header) {
    Bytes longer = Bytes.fromHex(header.encode().hex() + "00");
    assertThatThrownBy(() -> ProtectedHeader.decode(longer)).isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> ProtectedHeader.decode(longer, header.getClass()))
        .isInstanceOf(ProofRejectedException.class);
  }

  @ParameterizedTest
  @MethodSource("headers")
  void refusesEveryTruncation(ProtectedHeader header) {
    Bytes encoded = header.encode();
    for (int size = 0; size < encoded.size(); size++) {
      Bytes cut = encoded.slice(0, size);
      assertThatThrownBy(() -> ProtectedHeader.decode(cut))
          .as("cut at %d", size)
          .isInstanceOf(MalformedException.class);
    }
  }
}
