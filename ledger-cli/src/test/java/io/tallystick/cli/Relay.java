package io.tallystick.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// A TCP port before a service, that goes down and comes back.
final class Relay implements AutoCloseable {
  private static final int BUFFER_BYTES = 8 << 10;

  private final int servicePort;
  private final int port;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();
  private ServerSocket listener;
  private volatile boolean frozen;

  Relay(int servicePort) throws IOException {
    this.servicePort = servicePort;
    this.listener = listen(0);
    this.port = listener.getLocalPort();
  }

  String target() {
    return "127.0.0.1:" + port;
  }

  int connections() {
    return connections.get();
  }

  private ServerSocket listen(int on) throws IOException {
    ServerSocket made = new ServerSocket(on, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(() -> accept(made));
    return made;
  }

  private void accept(ServerSocket on) {
    try {
      while (true) {
        Socket client = on.accept();
        Socket service = new Socket(InetAddress.getLoopbackAddress(), servicePort);
        open.add(client);
        open.add(service);
        connections.incrementAndGet();
        Thread.ofVirtual().start(() -> handOn(client, service));
        Thread.ofVirtual().start(() -> handOn(service, client));
      }
    } catch (IOException closed) {
      // It is down.
    }
  }

  private void handOn(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        if (!frozen) {
          to.getOutputStream().write(buffer, 0, length);
        }
      }
    } catch (IOException closed) {
      // Either side has.
    } finally {
      open.remove(from);
    }
  }

  /// Holds its connections, and passes nothing on any more.
  void freeze() {
    frozen = true;
  }

  /// Ends its connections, and nobody connects any more.
  void down() throws IOException {
    listener.close();
    for (Socket each : open) {
      each.close();
    }
  }

  /// Listens again where it did.
  void up() throws IOException {
    frozen = false;
    listener = listen(port);
  }

  @Override
  public void close() throws IOException {
    down();
  }
}
