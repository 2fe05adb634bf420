package io.tallystick.crypto.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.ExportableSigner;
import io.tallystick.model.Bytes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// The worked examples of `docs/formats/key.md` are what the code reads, writes and accepts. Both
/// are vectors of the RFCs.
class KeyFormatTest {
  private static final Path PAGE = Path.of("..", "docs", "formats", "key.md");
  private static final String ED25519_SEED =
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
  private static final String P256_SCALAR =
      "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";

  @Test
  void theEd25519ExampleIsAsDocumented() throws Exception {
    for (Signatures provider : SignatureProviders.all()) {
      ExportableSigner signer =
          provider.importPkcs8(
              Bytes.fromHex("302e020100300506032b657004220420" + ED25519_SEED).toArray());
      isDocumented(signer, signer.sign(new byte[] {0x72}));
    }
  }

  @Test
  void theP256ExampleIsAsDocumented() throws Exception {
    byte[] pkcs8 =
        Bytes.fromHex(
                "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420"
                    + P256_SCALAR)
            .toArray();
    byte[] message = "sample".getBytes(StandardCharsets.US_ASCII);
    ExportableSigner deterministic = new BouncyCastleSignatures().importPkcs8(pkcs8);
    isDocumented(deterministic, deterministic.sign(message));
    for (Signatures provider : SignatureProviders.all()) {
      ExportableSigner signer = provider.importPkcs8(pkcs8);
      provider.verify(signer.publicKey(), message, deterministic.sign(message));
    }
  }

  private static void isDocumented(ExportableSigner signer, byte[] signature) throws Exception {
    String page = Files.readString(PAGE).replaceAll("\\s+", "");
    assertThat(page)
        .contains(
            Bytes.wrap(signer.exportPkcs8()).hex()
                + signer.publicKey().spki().hex()
                + signer.publicKey().kid().hex()
                + Bytes.copyOf(signature).hex());
  }
}
