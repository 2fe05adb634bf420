package io.tallystick.proxy.edge;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// One HTTP/2 connection, written frame by frame (RFC 9113), so that it can do what no gRPC client
/// does.
final class RawHttp2 implements AutoCloseable {
  private static final int HEADERS = 1;
  private static final int DATA = 0;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int GOAWAY = 7;
  private static final int ACK = 1;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int FRAME_BYTES_MAX = 16 << 10;

  private final Socket socket;
  private final OutputStream out;
  private int stream = 1;

  /// @param windowBytes what the service may send on each stream
  RawHttp2(int port, int windowBytes) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    out = socket.getOutputStream();
    out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    frame(
        SETTINGS,
        0,
        0,
        ByteBuffer.allocate(6).putShort((short) INITIAL_WINDOW_SIZE).putInt(windowBytes).array());
  }

  /// Takes the service's settings, without which its windows are smaller.
  RawHttp2 settle() throws IOException {
    InputStream in = socket.getInputStream();
    ByteBuffer head = ByteBuffer.wrap(in.readNBytes(9));
    in.skipNBytes(head.getInt(0) >>> 8);
    frame(SETTINGS, ACK, 0, new byte[0]);
    return this;
  }

  /// Begins a call and ends it at once with so many requests of no bytes.
  ///
  /// @param method `package.Service/Method`
  void ask(String method) throws IOException {
    int id = begin(method);
    frame(DATA, END_STREAM, id, new byte[5]);
  }

  /// Begins a call with so many bytes of a message that says it is longer.
  void sendPart(String method, int messageBytes, int sentBytes) throws IOException {
    int id = begin(method);
    ByteBuffer part = ByteBuffer.allocate(5 + sentBytes).put((byte) 0).putInt(messageBytes);
    byte[] bytes = part.array();
    for (int at = 0; at < bytes.length; at += FRAME_BYTES_MAX) {
      int length = Math.min(FRAME_BYTES_MAX, bytes.length - at);
      frame(DATA, 0, id, Arrays.copyOfRange(bytes, at, at + length));
    }
  }

  /// Begins a call with half of a message, and ends it.
  ///
  /// @return what the service sends until it has nothing more to say, text among it as it is
  String sendHalf(String method) throws IOException {
    int id = begin(method);
    frame(DATA, END_STREAM, id, ByteBuffer.allocate(5 + 500).putInt(1, 1000).array());
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    InputStream in = socket.getInputStream();
    for (int type = -1; type != HEADERS && type != RST_STREAM && type != GOAWAY; ) {
      ByteBuffer head = ByteBuffer.wrap(in.readNBytes(9));
      type = head.get(3);
      said.writeBytes(in.readNBytes(head.getInt(0) >>> 8));
    }
    return said.toString(StandardCharsets.ISO_8859_1);
  }

  private int begin(String method) throws IOException {
    int id = stream;
    stream += 2;
    frame(HEADERS, END_HEADERS, id, headers(method));
    return id;
  }

  /// A frame of headers, whole.
  static byte[] headers(String method) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    literal(block, ":method", "POST");
    literal(block, ":scheme", "http");
    literal(block, ":path", "/" + method);
    literal(block, ":authority", "localhost");
    literal(block, "content-type", "application/grpc");
    literal(block, "te", "trailers");
    return block.toByteArray();
  }

  /// RFC 7541 section 6.2.2, with lengths of one byte.
  private static void literal(ByteArrayOutputStream block, String name, String value) {
    block.write(0);
    for (String text : new String[] {name, value}) {
      byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
      block.write(bytes.length);
      block.writeBytes(bytes);
    }
  }

  private void frame(int type, int flags, int id, byte[] payload) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
    frame.put((byte) (payload.length >> 16)).putShort((short) payload.length);
    frame.put((byte) type).put((byte) flags).putInt(id).put(payload);
    out.write(frame.array());
  }

  /// The head of a frame of headers, and so many of its bytes: the others never come.
  void beginHeaders(int sentBytes) throws IOException {
    byte[] block = headers("x/y");
    ByteBuffer frame = ByteBuffer.allocate(9 + sentBytes);
    frame.put((byte) 0).putShort((short) block.length);
    frame.put((byte) HEADERS).put((byte) END_HEADERS).putInt(stream);
    frame.put(block, 0, sentBytes);
    out.write(frame.array());
  }

  /// Whether the service closes it within so many milliseconds; what it sends is dropped.
  boolean closesWithin(int millis) throws IOException {
    long deadline = System.nanoTime() + millis * 1_000_000L;
    InputStream in = socket.getInputStream();
    byte[] dropped = new byte[FRAME_BYTES_MAX];
    while (System.nanoTime() - deadline < 0) {
      socket.setSoTimeout(50);
      try {
        if (in.read(dropped) < 0) {
          return true;
        }
      } catch (SocketTimeoutException quiet) {
        // Open still.
      } catch (IOException closed) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
