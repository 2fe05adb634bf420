package io.tallystick.proxy.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the writer's key of a T-Ledger is kept as the service's own keys are. Method: its file,
/// found, opened to others, damaged, lost.
class TLedgerKeeperTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();

  @TempDir private Path data;

  private PublicKey owner() throws IOException {
    return new TLedgerKeeper(data).owner(SIGNATURES).publicKey();
  }

  private Path file() {
    return data.resolve("t-ledger").resolve("owner.pem");
  }

  @Test
  void makesTheKeyOnceForItsOwnerAlone() throws Exception {
    PublicKey made = owner();
    assertThat(owner()).isEqualTo(made);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file().getParent())))
        .isEqualTo("rwx------");
  }

  @Test
  void refusesAKeyThatIsOpenToOthers() throws Exception {
    owner();
    Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(this::owner)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("open to others");
  }

  @Test
  void refusesWhatIsNoKey() throws Exception {
    owner();
    Files.write(file(), Bytes.utf8("no key").toArray());
    assertThatThrownBy(this::owner)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(": no private key in PEM");
    Files.write(file(), new byte[5000]);
    assertThatThrownBy(this::owner).isInstanceOf(IOException.class).hasMessageContaining("large");
  }

  @Test
  void makesNoOtherKeyForATLedgerThatIsThere() throws Exception {
    owner();
    assertThat(new TLedgerKeeper(data).keep(Optional.empty(), Bytes.utf8("genesis"))).isTrue();
    Files.delete(file());
    assertThatThrownBy(this::owner)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("never made anew");
  }
}
