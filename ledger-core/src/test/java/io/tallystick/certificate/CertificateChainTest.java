package io.tallystick.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.TestAuthority;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: a chain is the same however it comes, and its bounds hold. What is judged of it is in the
/// golden vectors, topic `certificate`.
class CertificateChainTest {
  private static final CertificateChain CHAIN =
      TestAuthority.root("root").below("department").chain("Bob", Fixtures.BOB.publicKey());

  @Test
  void isTheSameInPemAndCbor() throws Exception {
    String text = "subject=CN=Bob\n" + CHAIN.pem() + "\n";
    assertThat(CertificateChain.ofPem(Bytes.utf8(text))).isEqualTo(CHAIN);
    assertThat(CertificateChain.decode(CHAIN.encode())).isEqualTo(CHAIN);
    assertThat(CHAIN.subject()).isEqualTo("CN=Bob");
    new ChainVerifier(TestAuthority.root("root").trusted())
        .verify(CHAIN, CHAIN.digest(), Fixtures.BOB.publicKey(), Fixtures.TIME_MS);
  }

  @Test
  void hasBounds() {
    Bytes der = CHAIN.certificates().getFirst();
    List<Bytes> nine = Collections.nCopies(CertificateChain.CERTIFICATES_MAX + 1, der);
    assertThatThrownBy(() -> new CertificateChain(nine))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("9 certificates");
    Bytes large = Bytes.wrap(new byte[CertificateChain.BYTES_MAX]);
    assertThatThrownBy(() -> new CertificateChain(List.of(large)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> CertificateChain.ofPem(Bytes.utf8("nothing")))
        .isInstanceOf(MalformedException.class);
    Bytes long1 = Bytes.wrap(new byte[CertificateChain.PEM_BYTES_MAX + 1]);
    assertThatThrownBy(() -> CertificateChain.ofPem(long1))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("at most");
    assertThatThrownBy(() -> CertificateAuthorities.decode(Bytes.utf8("")))
        .isInstanceOf(MalformedException.class);
  }
}
