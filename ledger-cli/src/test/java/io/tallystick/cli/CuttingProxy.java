package io.tallystick.cli;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/// A TCP proxy before a gRPC service that lets so many calls pass, and cuts the connection in the
/// next one: at its message, which then never arrives, or at its answer. After that nobody connects
/// any more.
final class CuttingProxy implements AutoCloseable {
  enum At {
    MESSAGE,
    ANSWER
  }

  private static final int PREFACE_BYTES = 24;
  private static final int HEADER_BYTES = 9;
  private static final int DATA = 0;
  private static final int HEADERS = 1;

  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final int servicePort;
  private final At at;
  private final int callsBefore;
  private final AtomicInteger cuts = new AtomicInteger();

  CuttingProxy(int servicePort, At at, int callsBefore) throws IOException {
    this.servicePort = servicePort;
    this.at = at;
    this.callsBefore = callsBefore;
    Thread.ofVirtual().start(this::accept);
  }

  String target() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  int cuts() {
    return cuts.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket service = new Socket(InetAddress.getLoopbackAddress(), servicePort);
        Thread.ofVirtual().start(() -> handOn(client, service, At.MESSAGE));
        Thread.ofVirtual().start(() -> handOn(service, client, At.ANSWER));
      }
    } catch (IOException closed) {
      // No more connections.
    }
  }

  /// Frame by frame (RFC 9113 section 4.1). gRPC opens the streams 3, 5, 7, ….
  private void handOn(Socket from, Socket to, At direction) {
    try (from;
        to;
        DataInputStream in = new DataInputStream(from.getInputStream())) {
      OutputStream out = to.getOutputStream();
      if (direction == At.MESSAGE) {
        out.write(in.readNBytes(PREFACE_BYTES));
      }
      while (true) {
        byte[] header = in.readNBytes(HEADER_BYTES);
        if (header.length < HEADER_BYTES) {
          return;
        }
        int stream = ((header[7] & 0xff) << 8) | (header[8] & 0xff);
        boolean said = header[3] == DATA || (header[3] == HEADERS && direction == At.ANSWER);
        if (direction == at && said && stream > 2 * callsBefore + 1) {
          listener.close();
          cuts.incrementAndGet();
          return;
        }
        int length = ((header[0] & 0xff) << 16) | ((header[1] & 0xff) << 8) | (header[2] & 0xff);
        out.write(header);
        out.write(in.readNBytes(length));
      }
    } catch (IOException closed) {
      // Either side has.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
