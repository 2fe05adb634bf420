package io.tallystick.server.host;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.FollowerDoor;
import io.tallystick.node.FollowerRead;
import io.tallystick.node.LogRead;
import io.tallystick.node.NodeRead;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.FollowedView;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The answers of a shard that follows its stream: up to the newest block of a strand that a frame
/// behind it names, since the owner sealed the same then. A refusal is the owner's to give.
/// Thread-safe.
final class FollowedReads implements FollowerDoor {
  private final Supplier<@Nullable FollowedView> view;
  private final Runnable onDamage;
  private final Evidence evidence;

  /// @param view null while there is nothing to read
  /// @param onDamage run when a read has found damage
  FollowedReads(Supplier<@Nullable FollowedView> view, Runnable onDamage, Evidence evidence) {
    this.view = view;
    this.onDamage = onDamage;
    this.evidence = evidence;
  }

  @Override
  @SuppressWarnings("unchecked") // what each case answers is what its record names
  public <R> R ask(NodeRead<R> read, long frame) throws RequestRejectedException {
    FollowedView now = view.get();
    if (now == null) {
      throw ownersToSay("the shard is being opened");
    }
    FollowerRead kind = FollowerRead.of(read);
    boolean fresh = frame >= 0 && now.nextFrame() > frame;
    if (kind == FollowerRead.NEVER || (kind == FollowerRead.UP_TO_DATE && !fresh)) {
      throw ownersToSay("frame " + now.nextFrame() + " is the next");
    }
    LogRead<R> asked = (LogRead<R>) read;
    try {
      return (R) answer(now, asked);
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.DAMAGED) {
        tell(now, asked.strand(), e);
      }
      throw ownersToSay(e);
    } catch (CorruptStreamException e) {
      tell(
          now,
          asked.strand(),
          new RequestRejectedException(RejectionCode.DAMAGED, String.valueOf(e.getMessage()), e));
      throw ownersToSay(e);
    } catch (IOException | IllegalStateException e) { // the last of what is closed meanwhile
      throw ownersToSay(e);
    }
  }

  /// What was read while the shard was opened again says nothing.
  @SuppressWarnings("ReferenceEquality") // one opening has one
  private void tell(FollowedView then, StrandId strand, RequestRejectedException damage) {
    FollowedView now = view.get();
    if (now != null && now.log() == then.log()) {
      then.log().faults().damaged(strand, damage);
      onDamage.run();
    }
  }

  private static RequestRejectedException ownersToSay(String why) {
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE, "a follower leaves it to the owner: " + why);
  }

  private static RequestRejectedException ownersToSay(Exception cause) {
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE, "a follower leaves it to the owner: " + cause, cause);
  }

  private Object answer(FollowedView now, LogRead<?> read)
      throws IOException, CorruptStreamException, RequestRejectedException {
    StrandId strand = read.strand();
    if (strand.strand() != 0 || now.sequencer().head(strand.ledger()) == null) {
      throw StrandReads.unknown(strand.ledger());
    }
    StrandIndex index = now.indexer().strand(strand);
    checkReach(index, now.indexer().guardedBlocks(index), read);
    LogAnswers answers = new LogAnswers(evidence, now.log());
    return switch (read) {
      case LogRead.Journal it -> answers.journal(index, it);
      case LogRead.Proven it -> answers.proven(index, it);
      case LogRead.Bundle it -> answers.bundle(index, it);
      default -> answers.lasting(index, read);
    };
  }

  /// @param blocks from the first on that are named
  private static void checkReach(StrandIndex index, long blocks, LogRead<?> read)
      throws IOException, CorruptStreamException, RequestRejectedException {
    if (blocks == 0) {
      throw StrandReads.outOfRange("block", 0, 0);
    }
    long size = index.block(blocks - 1).size();
    boolean within =
        switch (read) {
          case LogRead.Journal it -> it.jsn() < size;
          case LogRead.Proven it -> it.jsn() < size && it.size() <= size;
          case LogRead.Bundle it -> it.to() <= size;
          case LogRead.RangeReceipt it -> it.firstJsn() <= size - it.count();
          case LogRead.Receipt it -> it.jsn() < size;
          case LogRead.Inclusion it -> it.size() <= size;
          case LogRead.Consistency it -> it.toSize() <= size;
          case LogRead.Tile it ->
              it.level() >= 0
                  && it.level() <= TilePath.LEVEL_MAX
                  && it.first() <= (size >> (it.level() * TilePath.HEIGHT)) - it.count();
          case LogRead.BlockAt it -> it.height() < blocks;
          case LogRead.BlockOf it -> it.jsn() < size;
          default -> false;
        };
    if (!within) {
      throw StrandReads.outOfRange("leaf", size, size);
    }
  }
}
