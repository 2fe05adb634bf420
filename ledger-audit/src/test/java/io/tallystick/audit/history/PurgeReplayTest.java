package io.tallystick.audit.history;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/// Goal: what an auditor kept of purges is read only if each code in it is defined. Method: a file
/// with one purge, its codes changed.
class PurgeReplayTest {
  /// @param role of its one signer
  private static void read(int regulators, int role) throws Exception {
    ByteBuffer file = ByteBuffer.allocate(4 + 48 + 32 + 8 + 2 + 4 + 33 + 8);
    file.putInt(1).position(92).put((byte) regulators).put((byte) 1);
    file.putInt(1).position(130).put((byte) role);
    new PurgeReplay().readFrom(new DataInputStream(new ByteArrayInputStream(file.array())));
  }

  @Test
  void aCodeThatIsNotDefinedIsRefused() throws Exception {
    read(2, Role.OWNER.code());
    read(3, Role.OWNER.code());
    assertThatThrownBy(() -> read(4, Role.OWNER.code()))
        .isInstanceOf(MalformedException.class)
        .hasMessage("regulators 4 are not defined");
    assertThatThrownBy(() -> read(-1, Role.OWNER.code())).isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> read(2, 99))
        .isInstanceOf(MalformedException.class)
        .hasMessage("role 99 is not defined");
  }
}
