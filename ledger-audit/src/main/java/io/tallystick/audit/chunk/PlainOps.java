package io.tallystick.audit.chunk;

import io.tallystick.audit.replay.StateOp;
import io.tallystick.audit.replay.StateOp.Condition;
import io.tallystick.audit.source.PlainReader;
import io.tallystick.crypto.Sha256;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Limits;
import io.tallystick.journal.Op;
import io.tallystick.journal.Precondition;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The operations of a plain journal, read in place. Every rule of {@link
/// io.tallystick.journal.Ops} is checked. Reused for one journal after the other; not thread-safe.
final class PlainOps {
  private static final int OP_ITEMS = 0x86;
  private static final int NIL = 0xf6;
  private static final int ONE_ITEM = 0x81;
  private static final int TWO_ITEMS = 0x82;
  private static final byte LEAF_PREFIX = 0;

  private final PlainReader in = new PlainReader();
  private final MessageDigest sha = Sha256.newDigest();
  private final BatchHasher hasher = BatchHasher.cpu();
  private final List<StateOp> all = new ArrayList<>();
  private final Set<Bytes> keys = new HashSet<>();
  private byte[] hashes = new byte[Digest.BYTES];

  void clear() {
    all.clear();
    keys.clear();
  }

  /// Those read last, in order.
  List<StateOp> all() {
    return all;
  }

  /// @return whether these bytes are operations, at least one, with distinct keys
  boolean read(byte[] bytes, int from, int to) {
    clear();
    in.set(bytes, from, to);
    int count = in.array(Limits.OPS_MAX);
    if (count < 1 || count > to - from) {
      return false;
    }
    if (hashes.length < count * Digest.BYTES) {
      hashes = new byte[count * Digest.BYTES];
    }
    for (int i = 0; i < count; i++) {
      int at = in.position();
      StateOp op = readOp(bytes);
      if (op == null || !keys.add(op.key())) {
        return false;
      }
      all.add(op);
      sha.update(LEAF_PREFIX);
      sha.update(bytes, at, in.position() - at);
      Sha256.finish(sha, hashes, i * Digest.BYTES);
    }
    return in.atEnd();
  }

  private @Nullable StateOp readOp(byte[] bytes) {
    if (!in.literal(OP_ITEMS) || !in.literal(Op.TYPE)) {
      return null;
    }
    long action = in.uint();
    int length = in.byteString(Limits.KEY_BYTES_MAX);
    if (length < 1 || (action != Op.PUT && action != Op.DELETE)) {
      return null;
    }
    Bytes key = Bytes.copyOf(bytes, in.position() - length, length);
    Digest commit = null;
    long size = 0;
    if (action == Op.PUT) {
      int at = in.digest();
      size = in.uint();
      if (at < 0 || size < 0 || size > Limits.REQUEST_BYTES_MAX) {
        return null;
      }
      commit = Digest.of(bytes, at);
    } else if (!in.literal(NIL) || !in.literal(0)) {
      return null;
    }
    Condition condition = readCondition(bytes);
    return condition == null ? null : new StateOp(key, commit, (int) size, condition);
  }

  private @Nullable Condition readCondition(byte[] bytes) {
    if (in.literal(NIL)) {
      return new Condition.Always();
    }
    if (in.literal(ONE_ITEM)) {
      return in.literal(Precondition.IF_ABSENT) ? new Condition.Absent() : null;
    }
    if (!in.literal(TWO_ITEMS)) {
      return null;
    }
    if (in.literal(Precondition.IF_VERSION)) {
      long jsn = in.uint();
      return jsn < 0 ? null : new Condition.Version(jsn);
    }
    int at = in.literal(Precondition.IF_COMMIT) ? in.digest() : PlainReader.BAD;
    return at < 0 ? null : new Condition.Commit(Digest.of(bytes, at));
  }

  /// The root over those read last, which this may be asked once.
  byte[] root() {
    return TreeHasher.rootInPlace(hasher, hashes, all.size()).toArray();
  }

  /// @param body whose values were read last; `array` holds it, and its salt at `saltAt`
  /// @return whether there is one value for each put, the one it commits to
  boolean valuesRight(byte[] array, int saltAt, PlainJournal body) {
    int next = 0;
    for (int i = 0; i < all.size(); i++) {
      StateOp op = all.get(i);
      Digest want = op.valueCommit();
      if (want == null) {
        continue;
      }
      if (next == body.valueCount || body.valueBytes(next) != op.valueSizeBytes()) {
        return false;
      }
      Bytes salt = Bytes.copyOf(array, saltAt, Limits.SALT_BYTES);
      Bytes value = Bytes.copyOf(array, body.valueAt(next), op.valueSizeBytes());
      if (!Commitments.value(salt, i, value).equals(want)) {
        return false;
      }
      next++;
    }
    return next == body.valueCount;
  }
}
