package io.tallystick.storage.replicated;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.util.Optional;

/// Who writes a shard: the value at its `owner` path. Source: `docs/formats/replicated.md`.
///
/// @param epoch of its claim; 0 while nobody has claimed the shard
/// @param server its name
/// @param address at which proxies find it
/// @param stateFormat of the states that its software keeps
/// @param nonce drawn at random for this claim
public record ShardOwner(long epoch, String server, String address, int stateFormat, long nonce) {
  /// The stateFormat of a shard that no server may claim: its stream is being made, or goes on in
  /// another cluster.
  static final int CLOSED = Integer.MAX_VALUE;

  /// Begins the name of a server that closed a shard for good; the rest names a cluster.
  private static final String SUCCESSOR = "~to-";

  private static final int FORMAT = 1;
  private static final int FIELDS = 6;

  /// Of a shard that nobody has claimed.
  static ShardOwner nobody(long nonce) {
    return new ShardOwner(0, "", "", 0, nonce);
  }

  /// Of a new shard that no server may claim yet.
  static ShardOwner closed(long nonce) {
    return new ShardOwner(0, "", "", CLOSED, nonce);
  }

  /// The server's name of whoever closes shards that go on in another cluster.
  static String closer(String successor) {
    return SUCCESSOR + successor;
  }

  /// The cluster in which the shard's ledgers go on; empty if they go on here.
  public Optional<String> successor() {
    return isClosed() && server.startsWith(SUCCESSOR)
        ? Optional.of(server.substring(SUCCESSOR.length()))
        : Optional.empty();
  }

  /// The same owner put back by whoever has claimed the shard since.
  ///
  /// @param claimed epoch of that claim
  ShardOwner again(long claimed, long newNonce) {
    return epoch == 0
        ? new ShardOwner(0, server, address, stateFormat, newNonce) // nobody has written it
        : new ShardOwner(claimed, server, "", stateFormat, newNonce);
  }

  /// Whether no server may claim the shard.
  public boolean isClosed() {
    return stateFormat == CLOSED;
  }

  Bytes encode() {
    CborWriter writer = new CborWriter().array(FIELDS).uint(FORMAT).uint(epoch);
    writer.text(server).text(address).uint(stateFormat);
    return ValueFields.write(writer, nonce).toBytes();
  }

  static ShardOwner decode(Bytes value) throws MalformedException {
    CborReader reader = new CborReader(value);
    ValueFields.begin(reader, "owner", FIELDS, FORMAT);
    ShardOwner owner =
        new ShardOwner(
            reader.uint(),
            reader.text(),
            reader.text(),
            (int) reader.uint("stateFormat", Integer.MAX_VALUE),
            ValueFields.read(reader));
    reader.end();
    return owner;
  }
}
