package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.OpsRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.List;

/// One operation on the ledger's state; retained when the request's body is erased. The key cannot
/// be erased.
public sealed interface Op {
  int TYPE = 7;
  int PUT = 1;
  int DELETE = 2;

  /// 1 to 256 bytes.
  Bytes key();

  Precondition precondition();

  /// Writes a value, of which only commitment and size are named here.
  record Put(Bytes key, Digest valueCommit, int valueSizeBytes, Precondition precondition)
      implements Op {
    public Put {
      checkKey(key);
      if (valueSizeBytes < 0 || valueSizeBytes > Limits.REQUEST_BYTES_MAX) {
        throw new IllegalArgumentException("value of " + valueSizeBytes + " bytes");
      }
    }
  }

  record Delete(Bytes key, Precondition precondition) implements Op {
    public Delete {
      checkKey(key);
    }
  }

  default Bytes encode() {
    CborWriter out = new CborWriter(128).array(6).uint(TYPE);
    switch (this) {
      case Put put -> out.uint(PUT).bytes(put.key).digest(put.valueCommit).uint(put.valueSizeBytes);
      case Delete delete -> out.uint(DELETE).bytes(delete.key).nil().uint(0);
    }
    precondition().encodeInto(out);
    return out.toBytes();
  }

  /// The root by which a header commits to its operations. The caller leaves it out when there are
  /// none.
  static OpsRoot root(List<Op> ops) {
    return OpsRoot.over(ops.stream().map(Op::encode).toList());
  }

  static Op decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    Op op = decode(in);
    in.end();
    return op;
  }

  static Op decode(CborReader in) throws MalformedException {
    readType(in);
    return decodeAction(in, in.uint());
  }

  private static void readType(CborReader in) throws MalformedException {
    in.array("operation", 6);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("operation of type " + type + ", want " + TYPE);
    }
  }

  /// The key of the next operation, of whatever length, and steps over the rest of it.
  static Bytes peekKey(CborReader in) throws MalformedException {
    readType(in);
    in.uint();
    Bytes key = Bytes.wrap(in.bytes());
    skipBehindKey(in);
    return key;
  }

  private static void skipBehindKey(CborReader in) throws MalformedException {
    if (!in.nil()) {
      in.skipBytes();
    }
    in.uint();
    Precondition.decode(in);
  }

  /// Steps over the next operation.
  static void skip(CborReader in) throws MalformedException {
    readType(in);
    in.uint();
    in.skipBytes();
    skipBehindKey(in);
  }

  private static Op decodeAction(CborReader in, long action) throws MalformedException {
    Bytes key = Bytes.wrap(in.bytes("key", Limits.KEY_BYTES_MAX));
    if (action == PUT) {
      Digest commit = in.digest();
      int size = (int) in.uint("valueSize", Limits.REQUEST_BYTES_MAX);
      Precondition precondition = Precondition.decode(in);
      return Decoding.validated(() -> new Put(key, commit, size, precondition));
    }
    if (action != DELETE || !in.nil() || in.uint() != 0) {
      throw new MalformedException(
          "action " + action + " is neither a put nor a delete with nil and 0");
    }
    Precondition precondition = Precondition.decode(in);
    return Decoding.validated(() -> new Delete(key, precondition));
  }

  private static void checkKey(Bytes key) {
    if (key.isEmpty() || key.size() > Limits.KEY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "key of " + key.size() + " bytes, want 1 to " + Limits.KEY_BYTES_MAX);
    }
  }
}
