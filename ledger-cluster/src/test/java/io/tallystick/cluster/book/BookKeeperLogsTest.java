package io.tallystick.cluster.book;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cluster.zoo.Eventually;
import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.EntryReader;
import io.tallystick.storage.replicated.LogFencedException;
import io.tallystick.storage.replicated.LogWriter;
import io.tallystick.storage.replicated.NoSuchLogException;
import io.tallystick.storage.replicated.PendingAdd;
import io.tallystick.storage.replicated.Quorum;
import io.tallystick.storage.replicated.QuorumUnavailableException;
import io.tallystick.storage.replicated.ReplicatedLogs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// Goal: bookies keep what the seam of replicated logs promises, and each failure of theirs has its
/// type.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BookKeeperLogsTest {
  private static final Bytes LABEL = Bytes.utf8("of shard 7");

  private TestBookies bookies;
  private BookKeeperLogs owner;
  private BookKeeperLogs other;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    bookies = TestBookies.start(folder, 3);
    owner = bookies.connect();
    other = bookies.connect();
  }

  @AfterAll
  void stop() throws Exception {
    owner.close();
    other.close();
    bookies.close();
  }

  @Test
  void whatWasConfirmedIsReadByAll() throws Exception {
    LogWriter writer = owner.create(Quorum.FULL, LABEL);
    List<PendingAdd> adds = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      adds.add(writer.add(entry("entry " + i)));
    }
    for (int i = 0; i < 5; i++) {
      assertThat(adds.get(i).await()).isEqualTo(i);
    }
    try (EntryReader mine = owner.open(writer.log())) {
      assertThat(textsOf(mine, 4)).endsWith("entry 4"); // confirmed to a writer of this process
    }
    try (EntryReader follower = other.open(writer.log())) {
      assertThat(follower.isClosed()).isFalse();
      assertThat(follower.lastConfirmed()).isLessThanOrEqualTo(4);
      Eventually.get(() -> {
        follower.refresh();
        return atLeast(follower, 4);
      });
      writer.close();
      follower.refresh();
      assertThat(follower.isClosed()).isTrue();
      assertThat(follower.lastConfirmed()).isEqualTo(4);
      assertThat(textsOf(follower, 4)).hasSize(5);
    }
    assertThat(writer.isThin()).isFalse();
  }

  private static long atLeast(EntryReader reader, long entry) throws IOException {
    if (reader.lastConfirmed() < entry) {
      throw new IOException("confirmed up to " + reader.lastConfirmed());
    }
    return reader.lastConfirmed();
  }

  @Test
  void whoRecoversFencesTheWriter() throws Exception {
    LogWriter writer = owner.create(Quorum.FULL, LABEL);
    long unused = writer.add(entry("first")).await();
    assertThat(unused).isZero();

    try (EntryReader closed = other.recover(writer.log())) {
      assertThat(closed.isClosed()).isTrue();
      assertThat(textsOf(closed, closed.lastConfirmed())).containsExactly("first");
    }
    assertThatThrownBy(() -> writer.add(entry("second")).await())
        .isInstanceOf(LogFencedException.class);
  }

  @Test
  void whoOpensFencesNobody() throws Exception {
    LogWriter writer = owner.create(Quorum.FULL, LABEL);
    other.open(writer.log()).close();
    assertThat(writer.add(entry("first")).await()).isZero();
    writer.close();
  }

  @Test
  void aWriterWhoseLogWasClosedByAnotherIsTold() throws Exception {
    LogWriter writer = owner.create(Quorum.FULL, LABEL);
    long unused = writer.add(entry("first")).await();
    assertThat(unused).isZero();
    LogWriter late = owner.create(Quorum.FULL, LABEL);
    other.recover(late.log()).close();
    assertThatThrownBy(() -> late.add(entry("lost")).await())
        .isInstanceOf(LogFencedException.class);
    writer.close();
  }

  @Test
  void aDeletedLogIsNoLogAndIsNotListed() throws Exception {
    LogWriter writer = owner.create(Quorum.FULL, LABEL);
    writer.close();
    assertThat(other.list()).contains(new ReplicatedLogs.Labelled(writer.log(), LABEL));
    EntryReader open = other.open(writer.log());

    owner.delete(writer.log());
    owner.delete(writer.log());

    assertThat(other.list()).doesNotContain(new ReplicatedLogs.Labelled(writer.log(), LABEL));
    assertThatThrownBy(() -> other.open(writer.log())).isInstanceOf(NoSuchLogException.class);
    assertThatThrownBy(() -> other.recover(writer.log())).isInstanceOf(NoSuchLogException.class);
    assertThatThrownBy(open::refresh).isInstanceOf(NoSuchLogException.class);
    open.close();
  }

  @Test
  void oneOfThreeBookiesMayGoAndTwoMayNot(@TempDir Path own) throws Exception {
    try (TestBookies three = TestBookies.start(own, 3);
        BookKeeperLogs logs = three.connect()) {
      LogWriter writer = logs.create(Quorum.FULL, LABEL);
      assertThat(writer.add(entry("of three")).await()).isZero();

      three.stopBookie(2);
      assertThat(writer.add(entry("of two")).await()).isEqualTo(1);
      Eventually.get(() -> thin(writer));
      assertThatThrownBy(() -> logs.create(Quorum.FULL, LABEL))
          .isInstanceOf(QuorumUnavailableException.class);
      LogWriter thin = logs.create(Quorum.THIN, LABEL);
      assertThat(thin.add(entry("thin")).await()).isZero();

      three.stopBookie(1);
      assertThatThrownBy(() -> thin.add(entry("of one")).await())
          .isInstanceOf(QuorumUnavailableException.class);
      assertThatThrownBy(() -> logs.create(Quorum.THIN, LABEL))
          .isInstanceOf(QuorumUnavailableException.class);

      three.startBookie(1);
      three.startBookie(2);
      try (EntryReader closed = Eventually.get(() -> logs.recover(thin.log()))) {
        assertThat(textsOf(closed, 0)).containsExactly("thin");
      }
    }
  }

  private static boolean thin(LogWriter writer) throws IOException {
    if (!writer.isThin()) {
      throw new IOException("not seen yet");
    }
    return true;
  }

  private static ByteBuffer entry(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static List<String> textsOf(EntryReader reader, long last) throws IOException {
    return reader.read(0, last).stream()
        .map(entry -> StandardCharsets.UTF_8.decode(entry.bytes()).toString())
        .toList();
  }
}
