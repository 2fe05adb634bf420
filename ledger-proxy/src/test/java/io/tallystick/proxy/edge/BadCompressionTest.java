package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Compressor;
import io.grpc.CompressorRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.tallystick.api.v1.GetJournalRequest;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.JournalServiceGrpc.JournalServiceBlockingStub;
import io.tallystick.testkit.Fixtures;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: what says it is compressed and is not is the client's fault, answered as such. Method: a
/// channel whose gzip is none.
class BadCompressionTest {
  /// What stands where a gzip stream should.
  enum Wrong {
    PLAIN {
      @Override
      byte[] pack(byte[] message) {
        return message;
      }
    },
    CUT_OFF {
      @Override
      byte[] pack(byte[] message) throws IOException {
        byte[] whole = gzip(message);
        return Arrays.copyOf(whole, whole.length - 9);
      }
    },
    WRONG_CHECKSUM {
      @Override
      byte[] pack(byte[] message) throws IOException {
        byte[] whole = gzip(message);
        whole[whole.length - 8] ^= 1;
        return whole;
      }
    };

    abstract byte[] pack(byte[] message) throws IOException;

    private static byte[] gzip(byte[] message) throws IOException {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
        gzip.write(message);
      }
      return out.toByteArray();
    }
  }

  private record WrongGzip(Wrong wrong) implements Compressor {
    @Override
    public String getMessageEncoding() {
      return "gzip";
    }

    @Override
    public OutputStream compress(OutputStream to) {
      return new ByteArrayOutputStream() {
        @Override
        public void close() throws IOException {
          to.write(wrong.pack(toByteArray()));
          to.close();
        }
      };
    }
  }

  @ParameterizedTest
  @EnumSource(Wrong.class)
  void isAnsweredAsMalformed(Wrong wrong) throws Exception {
    CompressorRegistry compressors = CompressorRegistry.newEmptyInstance();
    compressors.register(new WrongGzip(wrong));
    MemoryNode node = new MemoryNode();
    try (TestFront front = new TestFront(node)) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", front.port())
              .usePlaintext()
              .compressorRegistry(compressors)
              .build();
      try {
        JournalServiceBlockingStub journals =
            JournalServiceGrpc.newBlockingStub(channel).withCompression("gzip");
        GetJournalRequest request =
            GetJournalRequest.newBuilder().setLedgerId(TestFront.id(Fixtures.ledger())).build();
        StatusRuntimeException refused =
            catchThrowableOfType(StatusRuntimeException.class, () -> journals.getJournal(request));
        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(TestFront.problem(refused).getCode()).isEqualTo("malformed");
        assertThat(front.refusals("malformed")).isEqualTo(1);
      } finally {
        channel.shutdownNow();
      }
    }
  }
}
