package io.tallystick.storage.replicated;

import static io.tallystick.testkit.contract.Frames.SHARD;

import io.tallystick.model.Bytes;
import io.tallystick.storage.stream.SegmentSink;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Whole segments as they are copied out of a store.
final class Copies {
  private Copies() {}

  static List<Bytes> of(StreamStore store) throws Exception {
    List<Bytes> copies = new ArrayList<>();
    try (StreamReader reader = store.openReader(SHARD)) {
      for (StreamReader.Segment segment : reader.segments()) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long _ =
            reader.copy(
                segment,
                Set.of(),
                new SegmentSink() {
                  @Override
                  public void header(ByteBuffer bytes) throws IOException {
                    put(bytes);
                  }

                  @Override
                  public void frame(long number, ByteBuffer bytes, int infoBytes)
                      throws IOException {
                    put(bytes);
                  }

                  private void put(ByteBuffer bytes) throws IOException {
                    byte[] copy = new byte[bytes.remaining()];
                    bytes.duplicate().get(copy);
                    out.write(copy);
                  }

                  @Override
                  public void damaged(long number, long position) {
                    throw new AssertionError("frame " + number + " is damaged");
                  }
                });
        copies.add(Bytes.wrap(out.toByteArray()));
      }
    }
    return copies;
  }
}
