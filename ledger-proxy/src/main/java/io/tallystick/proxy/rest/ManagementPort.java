package io.tallystick.proxy.rest;

import jakarta.servlet.ServletException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.OptionalInt;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;

/// A port of their own for health and metrics, if there is to be one: a second connector of the
/// same server, without TLS. It serves the paths below `/actuator`, and the port of REST then does
/// not. Spring's own management server would be a part that the build has fixed (decision 25).
public final class ManagementPort {
  private static final String ROOT = "/actuator";

  /// The attribute of a request that came by this port: whoever probes names the service as it
  /// likes.
  static final String ATTRIBUTE = ManagementPort.class.getName();

  /// Probes and scrapes are few, and must not wait for each other.
  private static final int THREADS_MAX = 4;

  private static final int CONNECTIONS_MAX = 64;
  private static final int WAIT_MILLIS_MAX = 10_000;

  private final @Nullable Connector connector;

  /// @param at null: health and metrics are on the port of REST
  public ManagementPort(@Nullable InetSocketAddress at) {
    this.connector = at == null ? null : connector(at);
  }

  private static Connector connector(InetSocketAddress at) {
    Connector connector = new Connector();
    connector.setPort(at.getPort());
    connector.setXpoweredBy(false);
    connector.setParseBodyMethods("");
    if (connector.getProtocolHandler() instanceof AbstractHttp11Protocol<?> http) {
      http.setAddress(at.getAddress());
      http.setMaxThreads(THREADS_MAX);
      http.setMinSpareThreads(1);
      http.setMaxConnections(CONNECTIONS_MAX);
      http.setConnectionTimeout(WAIT_MILLIS_MAX);
      http.setKeepAliveTimeout(WAIT_MILLIS_MAX);
    }
    return connector;
  }

  void configure(TomcatServletWebServerFactory factory) {
    if (connector != null) {
      factory.addAdditionalConnectors(connector);
      factory.addEngineValves(new Gate(connector));
    }
  }

  /// The port really bound, while the server runs; empty: there is none.
  public OptionalInt port() {
    return connector == null ? OptionalInt.empty() : OptionalInt.of(connector.getLocalPort());
  }

  /// In front of all that looks at paths.
  private static final class Gate extends ValveBase {
    private final Connector own;

    Gate(Connector own) {
      super(true); // what is behind it may answer later
      this.own = own;
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
      boolean here = own.equals(request.getConnector());
      // As it was sent, and as the server reads it: a path has more than one spelling.
      boolean sent = isOfManagement(request.getRequestURI());
      boolean read = isOfManagement(request.getDecodedRequestURI());
      if (here ? sent && read : !sent && !read) {
        if (here) {
          request.setAttribute(ATTRIBUTE, true);
        }
        getNext().invoke(request, response);
        return;
      }
      ProblemWriter.write(
          response.getResponse(), ProblemDocument.noRoute(ProblemValve.freshTraceId()));
    }

    private static boolean isOfManagement(@Nullable String path) {
      return path != null && (path.equals(ROOT) || path.startsWith(ROOT + "/"));
    }
  }
}
