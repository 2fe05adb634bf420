package io.tallystick.master.presence;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;
import java.util.ArrayList;
import java.util.List;

/// What a server shows of itself: the value at its path below `servers`. Source:
/// `docs/formats/replicated.md`.
///
/// @param incarnation drawn at random when its process starts
/// @param clockAheadMs how far its clock was ahead of the coordination's when it last looked
/// @param share how many shards its memory lets it write; 0 while it must not claim any
/// @param pairs of service keys that it holds
/// @param nonce drawn at random for this value
public record PresentServer(
    String id,
    long incarnation,
    String address,
    long clockAheadMs,
    int share,
    List<KeyPairKids> pairs,
    List<ShardLoad> shards,
    long nonce) {
  private static final int FIELDS = 9;

  /// Shards that a server may write or follow.
  private static final int SHARDS_MAX = 1024;

  public PresentServer {
    pairs = List.copyOf(pairs);
    shards = List.copyOf(shards);
  }

  /// Whether it follows a shard, or prepares to write it.
  public boolean follows(int shard) {
    return shards.stream().anyMatch(load -> load.shard() == shard && !load.owned());
  }

  /// Whether it writes a shard, and has it open.
  public boolean writes(int shard) {
    return shards.stream().anyMatch(load -> load.shard() == shard && load.owned());
  }

  Bytes encode() {
    CborWriter writer = SharedValue.begin(FIELDS).text(id).integer(incarnation).text(address);
    writer.integer(clockAheadMs).uint(share);
    KeyPairKids.write(writer, pairs);
    writer.array(shards.size());
    shards.forEach(load -> load.write(writer));
    return SharedValue.end(writer, nonce);
  }

  /// @throws CorruptStreamException also if another server is shown at the path
  static PresentServer decode(String path, Versioned there) throws CorruptStreamException {
    return SharedValue.decode(
        path,
        there,
        FIELDS,
        reader -> {
          PresentServer server = fields(reader);
          if (!path.endsWith("/" + server.id())) {
            throw new MalformedException("it shows server " + server.id());
          }
          return server;
        });
  }

  private static PresentServer fields(CborReader reader) throws MalformedException {
    return new PresentServer(
        reader.text(),
        reader.integer(),
        reader.text(),
        reader.integer(),
        (int) reader.uint("share", Integer.MAX_VALUE),
        KeyPairKids.readList(reader),
        loads(reader),
        SharedValue.nonce(reader));
  }

  private static List<ShardLoad> loads(CborReader reader) throws MalformedException {
    int count = reader.arrayAtMost("shards", SHARDS_MAX);
    List<ShardLoad> loads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      loads.add(ShardLoad.read(reader));
    }
    return loads;
  }
}
