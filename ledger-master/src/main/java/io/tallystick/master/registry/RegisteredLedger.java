package io.tallystick.master.registry;

import io.tallystick.cbor.CborReader;
import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;

/// The shard that has a ledger: the value at the ledger's path. It is never changed.
record RegisteredLedger(int shard, long nonce) {
  private static final int FIELDS = 3;

  Bytes encode() {
    return SharedValue.end(SharedValue.begin(FIELDS).uint(shard), nonce);
  }

  static RegisteredLedger decode(String path, Versioned there) throws CorruptStreamException {
    return SharedValue.decode(
        path,
        there,
        FIELDS,
        (CborReader reader) ->
            new RegisteredLedger(
                (int) reader.uint("shard", Integer.MAX_VALUE), SharedValue.nonce(reader)));
  }
}
