package io.tallystick.proxy;

import io.tallystick.hashing.GpuMode;
import io.tallystick.model.Authority;
import io.tallystick.node.NodeFolders;
import io.tallystick.node.NodeOptions;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// The settings of the service, `tallystick.*`.
///
/// @param dataDir `tallystick.data-dir`: everything the service keeps, its keys among it; made if
///   absent. Default `data`, under the working directory
/// @param authority `tallystick.authority`: the public name of a new service, which its ledgers
///   carry for ever; an existing data directory keeps its own. Default `localhost`
/// @param address `tallystick.address`: where to listen, an IP address or `localhost`. Any that is
///   not loopback needs `tallystick.tls`. Default `127.0.0.1`
/// @param port `tallystick.port`: of gRPC, 0 to 65535; 0 takes a free one. Default 4510
/// @param httpPort `tallystick.http-port`: of REST, on the same address. Default: the next after
///   `port`, or a free one where that is 0
/// @param reads `tallystick.reads`: who may read ledgers that are not public, `members` with a
///   token, or `anyone`, on a loopback address only. Default `members`
/// @param founders `tallystick.founders`: the file that lists who may found ledgers
///   (`docs/access.md`). Without one, anybody may on a loopback address, and nobody elsewhere
/// @param tls `tallystick.tls`: certificate and key; without it nothing is encrypted
/// @param limits `tallystick.limits`: of each member
/// @param members `tallystick.members`: who may certify their names
/// @param tracing `tallystick.tracing`: where traces go
/// @param time `tallystick.time`: who stamps the heads of ledgers
/// @param witness `tallystick.witness`: who keeps the newest heads of ledgers
/// @param logFormat `tallystick.log-format`: of the lines on standard error, `text`, or `json` by
///   the Elastic Common Schema. Default `text`
/// @param ipv6 `tallystick.ipv6`: whether IPv6 is used beside IPv4, to listen and to reach others.
///   An `address` of IPv6 needs it. Default false
/// @param keysDir `tallystick.keys-dir`: a folder with the service's keys, `note.pem` and
///   `receipt.pem`, in which none is ever made. Without one they are in `data-dir`, and the first
///   start makes them
/// @param management `tallystick.management`: where health and metrics are
/// @param shutdownDelay `tallystick.shutdown-delay`: for how long a service that is told to end
///   still answers all, but says that it is not ready, so that clients are sent elsewhere. Default
///   0s, at most 5m
/// @param connectionAge `tallystick.connection-age`: after which a connection of gRPC takes no more
///   calls and its appends are told to go on over another; 1s or more, 0s: never. Default 0s
/// @param diskStall `tallystick.disk-stall`: after which a disk that has not come back from one
///   operation makes the service not ready; 1s to 5m. Default 5s
/// @param gpu `tallystick.gpu`: whether a CUDA device hashes in bulk. `auto`: if there is one that
///   works; `off`: never; `require`: the service does not start without one. Default `auto`
/// @param grpcReflection `tallystick.grpc-reflection`: whether gRPC tells anybody its services and
///   messages (`grpc.reflection.v1`). Default false
/// @param insecureDev `tallystick.insecure-dev`: for development, as in a container: `address` may
///   be any without TLS, and anybody may found ledgers; `authority` must be `localhost`. Default
///   false
@ConfigurationProperties("tallystick")
public record ServiceProperties(
    @DefaultValue(DEFAULT_DATA_DIR) String dataDir,
    @DefaultValue(DEFAULT_AUTHORITY) String authority,
    @DefaultValue(DEFAULT_ADDRESS) String address,
    @DefaultValue("" + DEFAULT_PORT) int port,
    @Nullable Integer httpPort,
    @DefaultValue("members") Reads reads,
    @Nullable String founders,
    @NestedConfigurationProperty @Nullable TlsProperties tls,
    @NestedConfigurationProperty @DefaultValue LimitsProperties limits,
    @NestedConfigurationProperty @DefaultValue MembersProperties members,
    @NestedConfigurationProperty @DefaultValue TracingProperties tracing,
    @NestedConfigurationProperty @DefaultValue TimeProperties time,
    @NestedConfigurationProperty @DefaultValue WitnessProperties witness,
    @DefaultValue("text") LogFormat logFormat,
    @DefaultValue("false") boolean ipv6,
    @Nullable String keysDir,
    @NestedConfigurationProperty @DefaultValue ManagementProperties management,
    @DefaultValue("0s") Duration shutdownDelay,
    @DefaultValue("0s") Duration connectionAge,
    @DefaultValue("5s") Duration diskStall,
    @DefaultValue("auto") GpuMode gpu,
    @DefaultValue("false") boolean grpcReflection,
    @DefaultValue("false") boolean insecureDev) {
  public static final String DEFAULT_DATA_DIR = "data";
  public static final String DEFAULT_AUTHORITY = "localhost";
  public static final String DEFAULT_ADDRESS = "127.0.0.1";
  public static final int DEFAULT_PORT = 4510;

  private static final int PORT_MAX = 65_535;

  /// Who may read ledgers that are not public.
  public enum Reads {
    MEMBERS,
    ANYONE
  }

  /// Of the lines on standard error.
  public enum LogFormat {
    TEXT,
    JSON
  }

  public ServiceProperties {
    if (dataDir.isBlank()) {
      throw new IllegalArgumentException("tallystick.data-dir is empty");
    }
    checkAuthority(authority);
    SettingChecks.checkAddress(address, reads, tls != null || insecureDev);
    SettingChecks.checkInsecure(insecureDev, authority, tls);
    if (!ipv6 && address.contains(":")) {
      throw new IllegalArgumentException(
          "tallystick.address is " + address + ", an address of IPv6: that needs tallystick.ipv6");
    }
    checkPort("tallystick.port", port);
    checkPort("tallystick.http-port", httpPort(port, httpPort));
    if (port != 0 && port == httpPort(port, httpPort)) {
      throw new IllegalArgumentException(
          "tallystick.port and tallystick.http-port are both " + port);
    }
    SettingChecks.checkTimes(shutdownDelay, connectionAge, diskStall);
    SettingChecks.checkManagement(management, port, httpPort(port, httpPort), ipv6);
  }

  static void checkPort(String name, int port) {
    if (port < 0 || port > PORT_MAX) {
      throw new IllegalArgumentException(name + " is " + port + ", want 0 to " + PORT_MAX);
    }
  }

  private static int httpPort(int port, @Nullable Integer given) {
    int next = port == PORT_MAX ? port - 1 : port + 1;
    return given != null ? given : port == 0 ? 0 : next;
  }

  /// The defaults, but for data directory and port.
  public static ServiceProperties of(Path dataDir, int port) {
    return new ServiceProperties(
        dataDir.toString(),
        DEFAULT_AUTHORITY,
        DEFAULT_ADDRESS,
        port,
        null,
        Reads.MEMBERS,
        null,
        null,
        LimitsProperties.NONE,
        MembersProperties.NONE,
        TracingProperties.OFF,
        TimeProperties.OFF,
        WitnessProperties.OFF,
        LogFormat.TEXT,
        false,
        null,
        ManagementProperties.OFF,
        Duration.ZERO,
        Duration.ZERO,
        NodeOptions.DISK_STALL_DEFAULT,
        GpuMode.AUTO,
        false,
        false);
  }

  public ServiceProperties withReads(Reads who) {
    return new ServiceProperties(
        dataDir,
        authority,
        address,
        port,
        httpPort,
        who,
        founders,
        tls,
        limits,
        members,
        tracing,
        time,
        witness,
        logFormat,
        ipv6,
        keysDir,
        management,
        shutdownDelay,
        connectionAge,
        diskStall,
        gpu,
        grpcReflection,
        insecureDev);
  }

  public ServiceProperties withLimits(LimitsProperties ofMembers) {
    return new ServiceProperties(
        dataDir,
        authority,
        address,
        port,
        httpPort,
        reads,
        founders,
        tls,
        ofMembers,
        members,
        tracing,
        time,
        witness,
        logFormat,
        ipv6,
        keysDir,
        management,
        shutdownDelay,
        connectionAge,
        diskStall,
        gpu,
        grpcReflection,
        insecureDev);
  }

  public ServiceProperties withTracing(TracingProperties traces) {
    return new ServiceProperties(
        dataDir,
        authority,
        address,
        port,
        httpPort,
        reads,
        founders,
        tls,
        limits,
        members,
        traces,
        time,
        witness,
        logFormat,
        ipv6,
        keysDir,
        management,
        shutdownDelay,
        connectionAge,
        diskStall,
        gpu,
        grpcReflection,
        insecureDev);
  }

  public ServiceProperties withFounders(Path list) {
    return new ServiceProperties(
        dataDir,
        authority,
        address,
        port,
        httpPort,
        reads,
        list.toString(),
        tls,
        limits,
        members,
        tracing,
        time,
        witness,
        logFormat,
        ipv6,
        keysDir,
        management,
        shutdownDelay,
        connectionAge,
        diskStall,
        gpu,
        grpcReflection,
        insecureDev);
  }

  public ServiceProperties withMembers(MembersProperties certified) {
    return new ServiceProperties(
        dataDir,
        authority,
        address,
        port,
        httpPort,
        reads,
        founders,
        tls,
        limits,
        certified,
        tracing,
        time,
        witness,
        logFormat,
        ipv6,
        keysDir,
        management,
        shutdownDelay,
        connectionAge,
        diskStall,
        gpu,
        grpcReflection,
        insecureDev);
  }

  public ServiceProperties withTime(TimeProperties anchoring) {
    return new ServiceProperties(
        dataDir,
        authority,
        address,
        port,
        httpPort,
        reads,
        founders,
        tls,
        limits,
        members,
        tracing,
        anchoring,
        witness,
        logFormat,
        ipv6,
        keysDir,
        management,
        shutdownDelay,
        connectionAge,
        diskStall,
        gpu,
        grpcReflection,
        insecureDev);
  }

  public ServiceProperties withWitness(WitnessProperties witnessing) {
    return new ServiceProperties(
        dataDir,
        authority,
        address,
        port,
        httpPort,
        reads,
        founders,
        tls,
        limits,
        members,
        tracing,
        time,
        witnessing,
        logFormat,
        ipv6,
        keysDir,
        management,
        shutdownDelay,
        connectionAge,
        diskStall,
        gpu,
        grpcReflection,
        insecureDev);
  }

  public ServiceProperties withDiskStall(Duration stall) {
    return new ServiceProperties(
        dataDir,
        authority,
        address,
        port,
        httpPort,
        reads,
        founders,
        tls,
        limits,
        members,
        tracing,
        time,
        witness,
        logFormat,
        ipv6,
        keysDir,
        management,
        shutdownDelay,
        connectionAge,
        stall,
        gpu,
        grpcReflection,
        insecureDev);
  }

  /// One for development that listens there.
  public ServiceProperties forDevelopment(String at) {
    return new ServiceProperties(
        dataDir,
        authority,
        at,
        port,
        httpPort,
        reads,
        founders,
        tls,
        limits,
        members,
        tracing,
        time,
        witness,
        logFormat,
        ipv6,
        keysDir,
        management,
        shutdownDelay,
        connectionAge,
        diskStall,
        gpu,
        grpcReflection,
        true);
  }

  /// As arguments of {@link TallystickService#start(NodeOpener, String...)}.
  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.data-dir=" + dataDir);
    arguments.add("--tallystick.authority=" + authority);
    arguments.add("--tallystick.address=" + address);
    arguments.add("--tallystick.port=" + port);
    arguments.add("--tallystick.http-port=" + wantedHttpPort());
    arguments.add("--tallystick.reads=" + reads.name().toLowerCase(Locale.ROOT));
    if (founders != null) {
      arguments.add("--tallystick.founders=" + founders);
    }
    if (tls != null) {
      arguments.addAll(tls.arguments());
    }
    arguments.addAll(limits.arguments());
    arguments.addAll(members.arguments());
    arguments.addAll(tracing.arguments());
    arguments.addAll(time.arguments());
    arguments.addAll(witness.arguments());
    arguments.add("--tallystick.log-format=" + logFormat.name().toLowerCase(Locale.ROOT));
    arguments.add("--tallystick.ipv6=" + ipv6);
    arguments.add("--tallystick.grpc-reflection=" + grpcReflection);
    arguments.add("--tallystick.insecure-dev=" + insecureDev);
    if (keysDir != null) {
      arguments.add("--tallystick.keys-dir=" + keysDir);
    }
    arguments.addAll(management.arguments());
    arguments.add("--tallystick.shutdown-delay=" + shutdownDelay);
    arguments.add("--tallystick.connection-age=" + connectionAge);
    arguments.add("--tallystick.disk-stall=" + diskStall);
    arguments.add("--tallystick.gpu=" + gpu.name().toLowerCase(Locale.ROOT));
    return arguments;
  }

  /// Of REST; 0 takes a free one.
  int wantedHttpPort() {
    return httpPort(port, httpPort);
  }

  NodeFolders folders() {
    return new NodeFolders(dataPath(), keysDir == null ? null : Path.of(keysDir));
  }

  NodeOptions nodeOptions() {
    return new NodeOptions(gpu, diskStall);
  }

  public Path dataPath() {
    return Path.of(dataDir);
  }

  private static void checkAuthority(String authority) {
    try {
      new Authority(authority);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("tallystick.authority: " + e.getMessage(), e);
    }
  }

  boolean loopback() {
    return isLoopback(address);
  }

  // Names are not resolved: what a resolver answers may change after the check.
  static boolean isLoopback(String address) {
    try {
      return address.equals("localhost") || InetAddress.ofLiteral(address).isLoopbackAddress();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /// The address as a literal.
  String literalAddress() {
    return address.equals("localhost") ? DEFAULT_ADDRESS : address;
  }

  /// Address and port as a client writes them.
  String target(int boundPort) {
    return target(literalAddress(), boundPort);
  }

  static String target(String host, int boundPort) {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + boundPort;
  }
}
