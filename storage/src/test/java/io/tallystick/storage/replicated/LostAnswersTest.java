package io.tallystick.storage.replicated;

import static io.tallystick.testkit.contract.Frames.SHARD;
import static io.tallystick.testkit.contract.Frames.append;
import static io.tallystick.testkit.contract.Frames.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamUnavailableException;
import io.tallystick.storage.stream.StreamWriter;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCluster;
import io.tallystick.testkit.contract.Frames;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What an owner does when the answers to its changes are lost.
class LostAnswersTest {
  private final TwinCluster cluster = new TwinCluster(3);

  @BeforeEach
  void found() throws Exception {
    cluster.found(SHARD);
  }

  private TwinCluster.Server server(String name) {
    return cluster.server(name, Steps.NONE, TwinCluster.SMALL);
  }

  private static StreamWriter take(TwinCluster.Server server) throws Exception {
    ShardClaim claim = server.claims().claim(SHARD);
    return server.store().openWriter(SHARD, claim.epoch(), StreamStore.START);
  }

  private List<ListedSegment> listed() throws Exception {
    return new SegmentTable(server("anyone").coordination(), cluster.paths(), SHARD).read(0);
  }

  private List<Long> listedLogs() throws Exception {
    return listed().stream().map(each -> each.record().log()).toList();
  }

  /// A wrapper whose next answers are lost, the change being done or not.
  private static final class Forgetful implements Coordination {
    private final Coordination real;
    private int lost;
    private boolean done;
    private List<Change> sent = List.of();
    private boolean late;

    Forgetful(Coordination real) {
      this.real = real;
    }

    void lose(int answers, boolean isDone) {
      lost = answers;
      done = isDone;
    }

    /// The change that was lost last is done before the next one.
    void doLate() {
      lost = 0;
      late = true;
    }

    @Override
    public Optional<Versioned> read(String path) throws IOException {
      return real.read(path);
    }

    @Override
    public List<String> children(String path) throws IOException {
      return real.children(path);
    }

    @Override
    public void commit(List<Change> changes) throws IOException {
      if (late) {
        late = false;
        real.commit(sent);
      }
      if (lost == 0) {
        real.commit(changes);
        return;
      }
      lost--;
      sent = changes;
      if (done) {
        try {
          real.commit(changes);
        } catch (ChangeRefusedException e) {
          throw new OutcomeUnknownException("lost", e);
        }
      }
      throw new OutcomeUnknownException("lost", null);
    }
  }

  private record Lossy(Forgetful coordination, ShardClaims claims, ReplicatedStreamStore store) {}

  private Lossy lossy() {
    TwinCluster.Server server = server("a");
    Forgetful forgetful = new Forgetful(server.coordination());
    ShardClaims claims =
        new ShardClaims(
            forgetful,
            cluster.paths(),
            new ShardClaims.Server("a", "a:1", 1),
            new SplittableRandom(7));
    return new Lossy(
        forgetful,
        claims,
        new ReplicatedStreamStore(
            server.logs(),
            forgetful,
            cluster.paths(),
            claims,
            TwinCluster.SMALL,
            new SplittableRandom(8),
            () -> 0));
  }

  @Test
  void aLostAnswerIsFoundOut() throws Exception {
    for (boolean done : new boolean[] {true, false}) {
      Lossy a = lossy();
      a.coordination.lose(1, done);
      ShardClaim claim = a.claims.claim(SHARD);
      assertThat(a.claims.owner(SHARD).orElseThrow())
          .isEqualTo(new ShardClaims.Seen(claim.owner(), claim.version()));
      int segments = listed().size();
      a.coordination.lose(2, done);
      StreamWriter writer = a.store.openWriter(SHARD, claim.epoch(), StreamStore.START);
      assertThat(listed()).hasSize(segments + 1);
      append(writer, "goes on", "");
      a.coordination.lose(1, done);
      writer.roll();
      append(writer, "goes on", "");
      assertThat(listed()).hasSize(segments + 2);
      assertThat(cluster.logs().allLogs()).isEqualTo(listedLogs());
    }
  }

  /// The change was done; another owner may build on it already.
  @Test
  void whoDoesNotKnowWhetherItListedDeletesNothing() throws Exception {
    Lossy a = lossy();
    StreamWriter writer =
        a.store.openWriter(SHARD, a.claims.claim(SHARD).epoch(), StreamStore.START);
    append(writer, "one", "");
    a.coordination.lose(Integer.MAX_VALUE, true);
    assertThatThrownBy(writer::roll).isInstanceOf(StreamUnavailableException.class);
    assertThatThrownBy(() -> writer.append(frame("two", "")))
        .as("dead for good")
        .isInstanceOf(StreamUnavailableException.class);
    assertThat(listed()).hasSize(2);
    assertThat(cluster.logs().allLogs()).isEqualTo(listedLogs());
    TwinCluster.Server b = server("b");
    append(take(b), "two", "");
    assertThat(Frames.infos(b.store())).containsExactly("one", "two");
  }

  @Test
  void whoDoesNotKnowWhetherItReplacedDeletesNothing() throws Exception {
    Lossy a = lossy();
    StreamWriter writer =
        a.store.openWriter(SHARD, a.claims.claim(SHARD).epoch(), StreamStore.START);
    long frame = append(writer, "one", "erase me").position().frame();
    Frames.Frame next = append(writer, "two", "");
    writer.roll();
    StreamEraser eraser = a.store.openEraser(SHARD);
    int payload = FrameHeader.BYTES + "one".length();
    ErasedFrame planned =
        eraser.plan(frame, FrameEdits.zeros(List.of(new FrameEdits.Range(payload, 8))));
    List<Long> before = listedLogs();
    a.coordination.lose(Integer.MAX_VALUE, true);
    assertThatThrownBy(() -> eraser.erase(List.of(planned)))
        .isInstanceOf(StreamUnavailableException.class);
    assertThat(listedLogs()).isNotEqualTo(before);
    assertThat(cluster.logs().allLogs()).containsAll(before).containsAll(listedLogs());
    assertThat(Frames.read(server("b").store(), next.position())).containsExactly(next);
  }

  @Test
  void aChangeThatIsDoneLateSpoilsNothing() throws Exception {
    Lossy a = lossy();
    long epoch = a.claims.claim(SHARD).epoch();
    a.coordination.lose(Integer.MAX_VALUE, false);
    assertThatThrownBy(() -> a.store.openWriter(SHARD, epoch, StreamStore.START))
        .isInstanceOf(StreamUnavailableException.class);
    assertThat(listed()).isEmpty();
    a.coordination.doLate();
    assertThatThrownBy(() -> a.store.openWriter(SHARD, epoch, StreamStore.START))
        .isInstanceOf(StreamUnavailableException.class)
        .hasCauseInstanceOf(ChangeRefusedException.class);
    assertThat(listed()).hasSize(1);
    assertThatThrownBy(() -> a.store.openWriter(SHARD, epoch, StreamStore.START))
        .as("that epoch has listed a segment")
        .isInstanceOf(StreamFencedException.class);
    append(take(server("b")), "one", "");
    assertThat(Frames.infos(a.store)).containsExactly("one");
  }
}
