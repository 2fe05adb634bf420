package io.tallystick.cli;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/// A client in a process of its own that appends until it is killed. It keeps what it sends, before
/// it sends it, and the receipts it holds, forced before it counts them. Arguments: `TARGET LEDGER
/// KEY TRUST OUT`.
final class ClientProcess {
  static final String SENT = "sent";
  static final String HELD = "held";
  private static final int THREADS = 3;
  private static final int BATCH = 20;

  private ClientProcess() {}

  public static void main(String[] args) throws Exception {
    Path out = Path.of(args[4]);
    Records sent = new Records(out.resolve(SENT));
    Records held = new Records(out.resolve(HELD));
    ManagedChannel channel =
        Grpc.newChannelBuilder(args[0], InsecureChannelCredentials.create())
            .intercept(new Keeping(sent))
            .build();
    TallyClient client = TallyClient.over(channel, ClientConfig.of(args[0], Path.of(args[3])));
    LedgerHandle ledger = client.open(LedgerId.fromHex(args[1]), ClientKey.load(Path.of(args[2])));
    for (int i = 0; i < THREADS; i++) {
      int worker = i;
      Thread.ofPlatform().start(() -> work(ledger, worker, held));
    }
  }

  private static void work(LedgerHandle ledger, int worker, Records held) {
    try {
      for (int turn = 0; ; turn++) {
        List<JournalDraft> drafts = new ArrayList<>();
        for (int i = 0; i < (worker == 0 ? BATCH : 1); i++) {
          drafts.add(
              JournalDraft.text(
                  "client "
                      + ProcessHandle.current().pid()
                      + "."
                      + worker
                      + " turn "
                      + turn
                      + "."
                      + i));
        }
        List<VerifiedReceipt> receipts =
            drafts.size() == 1
                ? List.of(ledger.append(drafts.getFirst()))
                : ledger.appendBatch(drafts).receipts();
        for (VerifiedReceipt receipt : receipts) {
          held.add(receipt.toFile().encode().toArray());
        }
      }
    } catch (Exception e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  /// Byte strings one after the other, each behind its length. The last may be cut off.
  record Records(Path file) {
    synchronized void add(byte[] bytes) throws IOException {
      ByteBuffer record = ByteBuffer.allocate(Integer.BYTES + bytes.length);
      record.putInt(bytes.length).put(bytes).flip();
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
        while (record.hasRemaining()) {
          channel.write(record);
        }
        channel.force(false);
      }
    }

    List<byte[]> read() throws IOException {
      List<byte[]> records = new ArrayList<>();
      if (Files.notExists(file)) {
        return records;
      }
      ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(file));
      while (all.remaining() >= Integer.BYTES
          && all.getInt(all.position()) <= all.remaining() - 4) {
        byte[] record = new byte[all.getInt()];
        all.get(record);
        records.add(record);
      }
      return records;
    }
  }

  /// Keeps every append as it goes out.
  private record Keeping(Records sent) implements ClientInterceptor {
    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void sendMessage(Q message) {
          if (message instanceof AppendRequest append) {
            try {
              sent.add(append.toByteArray());
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
          super.sendMessage(message);
        }
      };
    }
  }
}
