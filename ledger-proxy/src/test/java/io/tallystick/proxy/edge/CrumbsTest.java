package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.JournalServiceGrpc;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: whoever sends crumbs loses the connection, and what is empty is not kept. Method: HTTP/2
/// frames written by hand (RFC 9113, section 6), since no client of gRPC cuts its messages so.
@Timeout(60)
class CrumbsTest {
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int END_HEADERS = 4;
  private static final int STREAM = 1;
  private static final int CRUMBS = 400;
  private static final int MESSAGE_BYTES = 1 << 14;

  private Server server;
  private BoundedTransport transport;

  private static final class Taking extends JournalServiceGrpc.JournalServiceImplBase {
    @Override
    public StreamObserver<AppendRequest> append(StreamObserver<AppendResponse> responses) {
      return new StreamObserver<>() {
        @Override
        public void onNext(AppendRequest request) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {
          responses.onCompleted();
        }
      };
    }
  }

  @BeforeEach
  void start() throws IOException {
    transport = new BoundedTransport(100, Long.MAX_VALUE, _ -> 0, () -> {});
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    transport.configure(builder);
    server = builder.addService(new Taking()).build().start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    transport.close();
  }

  private static void frame(OutputStream out, int type, int flags, int stream, byte[] payload)
      throws IOException {
    var header = new DataOutputStream(out);
    header.write(payload.length >> 16);
    header.writeShort(payload.length);
    header.write(type);
    header.write(flags);
    header.writeInt(stream);
    header.write(payload);
  }

  /// A field that is not indexed (RFC 7541, section 6.2.2).
  private static void field(ByteArrayOutputStream out, String name, String value) {
    out.write(0);
    for (String each : new String[] {name, value}) {
      out.write(each.length());
      out.writeBytes(each.getBytes(StandardCharsets.US_ASCII));
    }
  }

  private static byte[] headers() {
    var out = new ByteArrayOutputStream();
    field(out, ":method", "POST");
    field(out, ":scheme", "http");
    field(out, ":path", "/" + JournalServiceGrpc.getAppendMethod().getFullMethodName());
    field(out, ":authority", "localhost");
    field(out, "content-type", "application/grpc");
    field(out, "te", "trailers");
    return out.toByteArray();
  }

  /// Whether the connection is closed before the server has long said nothing.
  private boolean isClosedBy(byte[] frames) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort())) {
      socket.setSoTimeout(2_000);
      var out = new ByteArrayOutputStream();
      out.writeBytes(PREFACE.getBytes(StandardCharsets.US_ASCII));
      frame(out, SETTINGS, 0, 0, new byte[0]);
      frame(out, HEADERS, END_HEADERS, STREAM, headers());
      out.writeBytes(frames);
      socket.getOutputStream().write(out.toByteArray());
      InputStream in = socket.getInputStream();
      while (in.read() >= 0) {
        // settings, and what they are acknowledged with
      }
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (SocketException e) {
      return true;
    }
  }

  private static byte[] pieces(byte[] bytes, int length) throws IOException {
    var out = new ByteArrayOutputStream();
    ByteBuffer left = ByteBuffer.wrap(bytes);
    while (left.hasRemaining()) {
      byte[] piece = new byte[Math.min(length, left.remaining())];
      left.get(piece);
      frame(out, DATA, 0, STREAM, piece);
    }
    return out.toByteArray();
  }

  /// The beginning of a message, with how long it says it is (gRPC over HTTP/2).
  private static byte[] message(int bytes) {
    return ByteBuffer.allocate(bytes).put((byte) 0).putInt(MESSAGE_BYTES).array();
  }

  @Test
  void whoSendsCrumbsLosesTheConnection() throws Exception {
    assertThat(isClosedBy(pieces(message(CRUMBS), 1))).isTrue();
  }

  @Test
  void whoSendsAFewOrSmallMessagesDoesNot() throws Exception {
    assertThat(isClosedBy(pieces(message(CRUMBS / 2), 1))).isFalse();
    assertThat(isClosedBy(pieces(message(MESSAGE_BYTES), 64))).isFalse();
  }

  /// They would be kept as objects until the message is whole.
  @Test
  void emptyFramesAreDropped() throws Exception {
    var out = new ByteArrayOutputStream();
    for (int i = 0; i < 10 * CRUMBS; i++) {
      frame(out, DATA, 0, STREAM, new byte[0]);
    }
    assertThat(isClosedBy(out.toByteArray())).isFalse();
  }
}
