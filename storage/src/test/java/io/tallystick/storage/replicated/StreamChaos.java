package io.tallystick.storage.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.PendingFrame;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamUnavailableException;
import io.tallystick.storage.stream.StreamWriter;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCluster;
import io.tallystick.testkit.cluster.TwinFaults;
import io.tallystick.testkit.contract.Frames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Servers that take one stream from each other while answers are lost, machines stop and a third
/// party recovers logs. In the middle of a call of one server, at any of its steps, another may do
/// something. Everything is decided by a seed.
final class StreamChaos {
  private static final int SERVERS = 3;
  private static final int DEPTH_MAX = 2;
  private static final int STEPS_BETWEEN = 25;
  private static final TwinFaults SOME = new TwinFaults(30, 30, 10, 100, 200);
  private static final TwinFaults MANY = new TwinFaults(30, 400, 10, 300, 300);

  private final SplittableRandom random;
  private final TwinCluster cluster;
  private final StreamHistory history = new StreamHistory();
  private final List<Actor> actors = new ArrayList<>();
  private int depth;
  private int made;
  private int taken;

  StreamChaos(long seed) throws IOException {
    random = new SplittableRandom(seed);
    cluster = new TwinCluster(random.nextLong());
    cluster.found(Frames.SHARD);
    for (int i = 0; i < SERVERS; i++) {
      actors.add(new Actor("server-" + i));
    }
  }

  StreamHistory history() {
    return history;
  }

  /// How often a server began to write.
  int taken() {
    return taken;
  }

  void run(int actions) throws Exception {
    cluster.faults(random.nextBoolean() ? SOME : MANY);
    for (int i = 0; i < actions; i++) {
      history.savepoint(random);
      cluster.pass(random.nextInt(400));
      actors.get(random.nextInt(SERVERS)).act();
    }
    end();
  }

  /// All machines are back and nothing goes wrong any more: one server more reads all that there
  /// is, and leaves nothing behind that is not listed.
  private void end() throws Exception {
    cluster.faults(TwinFaults.NONE);
    for (int machine = 0; machine < Quorum.FULL.ensemble(); machine++) {
      cluster.logs().start(machine);
    }
    TwinCluster.Server last = cluster.server("last", Steps.NONE, TwinCluster.SMALL);
    ShardClaim claim = last.claims().claim(Frames.SHARD);
    StreamWriter writer = last.store().openWriter(Frames.SHARD, claim.epoch(), history.savepoint());
    history.sees(last.store().openReader(Frames.SHARD));
    assertThat(writer.end().number()).isEqualTo(history.size());
    history.requireAllAcknowledged();
    SegmentUpkeep upkeep = last.store().upkeep(Frames.SHARD);
    upkeep.sweep();
    assertThat(upkeep.deleteRetired().refused()).isEmpty();
    while (upkeep.replaceThin()) {}
    List<ListedSegment> listed =
        new SegmentTable(last.coordination(), cluster.paths(), Frames.SHARD).read(0);
    assertThat(cluster.logs().allLogs())
        .as("logs")
        .containsExactlyInAnyOrderElementsOf(
            listed.stream().map(each -> each.record().log()).toList());
    assertThat(listed).noneMatch(each -> each.record().thin());
    history.sees(last.store().openReader(Frames.SHARD));
  }

  /// One server, and the steps that it takes.
  private final class Actor implements Steps {
    private final String name;
    private TwinCluster.Server server;
    private @Nullable StreamWriter writer;
    private @Nullable StreamReader follower;
    private boolean busy;

    Actor(String name) {
      this.name = name;
      this.server = cluster.server(name, this, TwinCluster.SMALL);
    }

    /// Something else happens in the middle of what this server does.
    @Override
    public void step(String what) {
      if (depth < DEPTH_MAX && random.nextInt(STEPS_BETWEEN) == 0) {
        switch (random.nextInt(6)) {
          case 0 -> recoverAny();
          case 1 -> stopOrStart();
          default -> {
            Actor other = actors.get(random.nextInt(SERVERS));
            if (!other.busy) {
              other.actUnchecked();
            }
          }
        }
      }
    }

    private void recoverAny() {
      List<Long> open = cluster.logs().openLogs();
      if (!open.isEmpty()) {
        cluster.logs().recoverByThirdParty(open.get(random.nextInt(open.size())));
      }
    }

    private void stopOrStart() {
      int machine = random.nextInt(Quorum.FULL.ensemble());
      if (random.nextInt(3) == 0) {
        cluster.logs().stop(machine);
      } else {
        cluster.logs().start(machine);
      }
    }

    private void actUnchecked() {
      try {
        act();
      } catch (CorruptStreamException e) {
        throw new AssertionError(e);
      }
    }

    void act() throws CorruptStreamException {
      busy = true;
      depth++;
      try {
        act(random.nextInt(20));
      } catch (StreamFencedException | StreamUnavailableException | OutcomeUnknownException e) {
        writer = null;
        follower = null;
      } catch (IOException e) {
        throw new AssertionError("not of the kinds that an owner knows", e);
      } finally {
        depth--;
        busy = false;
      }
    }

    private void act(int choice) throws IOException, CorruptStreamException {
      StreamWriter mine = writer;
      if (choice == 0) {
        restart();
      } else if (choice < 4) {
        follow();
      } else if (mine == null) {
        if (choice < 8) {
          take();
        }
      } else if (choice < 14) {
        append(mine);
      } else {
        keep(mine, choice);
      }
    }

    private void restart() {
      writer = null;
      follower = null;
      server = cluster.server(name, this, TwinCluster.SMALL);
    }

    private void take() throws IOException, CorruptStreamException {
      follower = null;
      ShardClaim claim = server.claims().claim(Frames.SHARD);
      writer = server.store().openWriter(Frames.SHARD, claim.epoch(), history.savepoint());
      taken++;
      history.sees(server.store().openReader(Frames.SHARD));
    }

    private void follow() throws IOException, CorruptStreamException {
      StreamReader reader = follower;
      if (reader == null) {
        reader = server.store().openReader(Frames.SHARD);
        follower = reader;
      } else {
        reader.refresh();
      }
      history.sees(reader);
    }

    private void append(StreamWriter mine) throws IOException {
      for (int i = random.nextInt(4); i >= 0; i--) {
        String infos = String.format(Locale.ROOT, "%s %d", name, made++);
        String payloads = "p".repeat(1 + random.nextInt(900));
        PendingFrame pending = mine.append(Frames.frame(infos, payloads));
        pending.awaitDurable();
        history.acknowledged(
            new Frames.Frame(
                pending.position(), mine.epoch(), infos, payloads, Frames.notesOf(infos)));
      }
    }

    private void keep(StreamWriter mine, int choice) throws IOException, CorruptStreamException {
      SegmentUpkeep upkeep = server.store().upkeep(Frames.SHARD);
      switch (choice) {
        case 14 -> mine.roll();
        case 15 -> upkeep.sweep();
        case 16 -> assertThat(upkeep.deleteRetired().refused()).isEmpty();
        case 17 -> upkeep.replaceThin();
        case 18 -> erase(mine);
        default -> drop(mine);
      }
    }

    private void drop(StreamWriter mine) throws IOException {
      long before = history.savepoint().frame();
      if (FrameLocations.segment(before) <= FrameLocations.segment(mine.end().frame())) {
        server.store().openEraser(Frames.SHARD).dropBefore(before);
      }
    }

    private void erase(StreamWriter mine) throws IOException, CorruptStreamException {
      long first = history.savepoint().number();
      long newest = Math.min(mine.end().number(), history.size()) - 1;
      if (first >= newest) {
        return;
      }
      StreamEraser eraser = server.store().openEraser(Frames.SHARD);
      List<ErasedFrame> planned = new ArrayList<>();
      for (long number = first; number < newest && planned.size() < 3; number++) {
        if (random.nextBoolean()) {
          Frames.Frame frame = history.frame(number);
          int payload = FrameHeader.BYTES + frame.infos().length();
          StreamPosition at = frame.position();
          history.mayBeErased(number);
          planned.add(
              eraser.plan(
                  at.frame(),
                  FrameEdits.zeros(
                      List.of(new FrameEdits.Range(payload, frame.payloads().length())))));
        }
      }
      eraser.erase(planned);
    }
  }
}
