package io.tallystick.proxy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/// The settings of the service, `tallystick.*`, in groups. A setting's name does not say its group:
/// each group is bound to the same prefix.
///
/// @param node what the service is and keeps
/// @param listen where it is reached
/// @param access who may do what
/// @param operation what its operator sees
/// @param outside who vouches for it
public record ServiceProperties(
    NodeProperties node,
    ListenProperties listen,
    AccessProperties access,
    OperationProperties operation,
    OutsideProperties outside) {
  public static final String DEFAULT_DATA_DIR = "data";
  public static final String DEFAULT_AUTHORITY = "localhost";
  public static final String DEFAULT_ADDRESS = "127.0.0.1";
  public static final int DEFAULT_PORT = 4510;

  static final String PREFIX = "tallystick";

  /// Who may read ledgers that are not public.
  public enum Reads {
    MEMBERS,
    ANYONE
  }

  public ServiceProperties {
    SettingChecks.checkReads(access.reads(), listen);
    SettingChecks.checkInsecure(listen, node.authority());
    SettingChecks.checkManagement(operation.management(), listen);
  }

  /// @param handler told of every setting by its name
  /// @throws IllegalArgumentException saying what groups of settings are not to one another
  /// @throws org.springframework.boot.context.properties.bind.BindException if one cannot be read
  ///   or its group refuses it
  static ServiceProperties bind(Binder binder, BindHandler handler) {
    return new ServiceProperties(
        group(binder, handler, NodeProperties.class),
        group(binder, handler, ListenProperties.class),
        group(binder, handler, AccessProperties.class),
        group(binder, handler, OperationProperties.class),
        group(binder, handler, OutsideProperties.class));
  }

  static ServiceProperties bind(Environment environment) {
    return bind(Binder.get(environment), BindHandler.DEFAULT);
  }

  private static <T> T group(Binder binder, BindHandler handler, Class<T> type) {
    return binder.bindOrCreate(PREFIX, Bindable.of(type), handler);
  }

  /// The defaults, but for data directory and port.
  public static ServiceProperties of(Path dataDir, int port) {
    return new ServiceProperties(
        NodeProperties.in(dataDir),
        ListenProperties.on(port),
        AccessProperties.DEFAULT,
        OperationProperties.DEFAULT,
        OutsideProperties.NOBODY);
  }

  public ServiceProperties withDiskStall(Duration stall) {
    return new ServiceProperties(node.withDiskStall(stall), listen, access, operation, outside);
  }

  public ServiceProperties withReads(Reads who) {
    return with(access.withReads(who));
  }

  public ServiceProperties withLimits(LimitsProperties ofMembers) {
    return with(access.withLimits(ofMembers));
  }

  public ServiceProperties withFounders(Path list) {
    return with(access.withFounders(list.toString()));
  }

  public ServiceProperties withMembers(MembersProperties certified) {
    return with(access.withMembers(certified));
  }

  private ServiceProperties with(AccessProperties changed) {
    return new ServiceProperties(node, listen, changed, operation, outside);
  }

  public ServiceProperties withTracing(TracingProperties traces) {
    return new ServiceProperties(node, listen, access, operation.withTracing(traces), outside);
  }

  public ServiceProperties withTime(TimeProperties anchoring) {
    return with(new OutsideProperties(anchoring, outside.witness()));
  }

  public ServiceProperties withWitness(WitnessProperties witnessing) {
    return with(new OutsideProperties(outside.time(), witnessing));
  }

  private ServiceProperties with(OutsideProperties changed) {
    return new ServiceProperties(node, listen, access, operation, changed);
  }

  /// One for development that listens there.
  public ServiceProperties forDevelopment(String at) {
    return new ServiceProperties(node, listen.forDevelopment(at), access, operation, outside);
  }

  /// As arguments of {@link TallystickService#start(NodeOpener, String...)}.
  List<String> arguments() {
    return Stream.of(
            node.arguments(),
            listen.arguments(),
            access.arguments(),
            operation.arguments(),
            outside.arguments())
        .flatMap(List::stream)
        .toList();
  }

  public Path dataPath() {
    return node.dataPath();
  }
}
