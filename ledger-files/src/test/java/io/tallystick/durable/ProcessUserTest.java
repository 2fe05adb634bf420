package io.tallystick.durable;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a private key may be read by a group only if somebody else gave the file to that group and
/// this process cannot change it. Method: the rule with one condition broken each, and this
/// process' own files.
class ProcessUserTest {
  private static final int OTHER = 0;
  private static final int US = 10_001;
  private static final int OUR_GROUP = 20_001;
  private static final ProcessUser USER =
      ProcessUser.of(
          List.of(
              "Name:\tjava",
              "Uid:\t1\t2\t3\t" + US,
              "Gid:\t4\t5\t6\t" + US,
              "FDSize:\t64",
              "Groups:\t7 " + OUR_GROUP + " "));

  @TempDir private Path folder;

  private static Set<PosixFilePermission> mode(String mode) {
    return PosixFilePermissions.fromString(mode);
  }

  @Test
  void readsWhoTheProcessIsToTheFileSystem() {
    assertThat(USER).isEqualTo(new ProcessUser(US, Set.of(US, 7, OUR_GROUP)));
    assertThat(ProcessUser.of(List.of("Uid:\t0\t0\t0\t0", "Gid:\t0\t0\t0\t8", "Groups:\t")))
        .isEqualTo(new ProcessUser(0, Set.of(8)));
  }

  @Test
  void takesAFileThatSomebodyElseGivesToAGroupOfOurs() {
    for (String mode : new String[] {"r--r-----", "rw-r-----", "---r-----"}) {
      assertThat(USER.isGiven(OTHER, OUR_GROUP, mode(mode), false)).as(mode).isTrue();
    }
  }

  @Test
  void refusesAFileOfOurOwnOrOfAnotherGroupOrThatWeCanWrite() {
    assertThat(USER.isGiven(US, OUR_GROUP, mode("r--r-----"), false)).isFalse();
    assertThat(USER.isGiven(OTHER, 20_002, mode("r--r-----"), false)).isFalse();
    assertThat(USER.isGiven(OTHER, OUR_GROUP, mode("r--r-----"), true)).isFalse();
  }

  @Test
  void refusesAFileThatOthersHaveAnythingOf() {
    for (String mode :
        new String[] {"r--r--r--", "r--r---w-", "r--r----x", "r--rw----", "r-xr-x---"}) {
      assertThat(USER.isGiven(OTHER, OUR_GROUP, mode(mode), false)).as(mode).isFalse();
    }
  }

  @Test
  void stillRefusesAFileOfThisProcessThatItsGroupMayRead() throws Exception {
    Path file = Files.createFile(folder.resolve("key.pem"));
    Files.setPosixFilePermissions(file, mode("rw-r-----"));
    assertThat(PrivateFile.openToOthers(file)).get().asString().contains("(rw-r-----)");
    Files.setPosixFilePermissions(file, mode("rw-------"));
    assertThat(PrivateFile.openToOthers(file)).isEmpty();
  }
}
