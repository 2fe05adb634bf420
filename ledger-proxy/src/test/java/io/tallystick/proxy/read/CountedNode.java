package io.tallystick.proxy.read;

import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.node.HostedNode;
import io.tallystick.node.KeptStates;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LogReads;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/// A real node that notes which of its methods were called.
final class CountedNode implements HostedNode {
  private final HostedNode real;
  private final LedgerNode noting;
  private final ConcurrentLinkedQueue<String> calls = new ConcurrentLinkedQueue<>();

  CountedNode(HostedNode real) {
    this.real = real;
    this.noting =
        (LedgerNode)
            Proxy.newProxyInstance(
                LedgerNode.class.getClassLoader(),
                new Class<?>[] {LedgerNode.class},
                (_, method, arguments) -> call(method, arguments));
  }

  private Object call(Method method, Object[] arguments) throws Throwable {
    calls.add(method.getName());
    try {
      return method.invoke(real.node(), arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /// The reads of a log since the last time, in their order.
  List<String> takeReads() {
    List<String> taken = new ArrayList<>();
    for (String call = calls.poll(); call != null; call = calls.poll()) {
      taken.add(call);
    }
    return taken.stream().filter(CountedNode::isRead).toList();
  }

  private static boolean isRead(String method) {
    return List.of(LogReads.class.getMethods()).stream()
        .anyMatch(read -> read.getName().equals(method));
  }

  @Override
  public LedgerNode node() {
    return noting;
  }

  @Override
  public void trust(CertificateAuthorities authorities) {
    real.trust(authorities);
  }

  @Override
  public KeptStates keptStates() {
    return real.keptStates();
  }

  @Override
  public void close() throws IOException {
    real.close();
  }
}
