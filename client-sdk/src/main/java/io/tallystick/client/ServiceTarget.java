package io.tallystick.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where one service is reached: its address, the addresses of several of its proxies, or a name
/// that DNS resolves to several. Calls are spread over those that answer.
///
/// @param addresses `host:port`, 1 to {@link #ADDRESSES_MAX} different ones; or only
///   `dns:///name:port`
public record ServiceTarget(List<String> addresses) {
  public static final int ADDRESSES_MAX = 64;

  private static final String DNS = "dns:///";
  private static final String WANTED = "want host:port";
  private static final int PORT_MAX = 65_535;
  private static final Pattern ADDRESS =
      Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):([0-9]{1,5})");
  private static final Pattern LOOPBACK = Pattern.compile("localhost|127\\.[0-9.]+|\\[::1]");

  /// @throws IllegalArgumentException if they are none, too many, or one is no address or there
  ///   twice
  public ServiceTarget {
    addresses = List.copyOf(addresses);
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException("no address, " + WANTED);
    }
    if (addresses.size() > ADDRESSES_MAX) {
      throw new IllegalArgumentException(addresses.size() + " addresses, at most " + ADDRESSES_MAX);
    }
    Map<String, String> seen = new HashMap<>();
    for (String address : addresses) {
      if (address.startsWith(DNS) && addresses.size() > 1) {
        throw new IllegalArgumentException(address + " stands alone, without other addresses");
      }
      String same = seen.putIfAbsent(plain(address), address);
      if (same != null) {
        throw new IllegalArgumentException("address " + address + " is there twice");
      }
    }
  }

  /// @param text one address, several with commas between, or `dns:///name:port`
  /// @throws IllegalArgumentException as the constructor does
  public static ServiceTarget parse(String text) {
    return new ServiceTarget(
        text.isBlank()
            ? List.of()
            : List.of(text.split(",", -1)).stream().map(String::strip).toList());
  }

  private static Matcher parsed(String address) {
    Matcher parsed =
        ADDRESS.matcher(address.startsWith(DNS) ? address.substring(DNS.length()) : address);
    if (!parsed.matches()
        || port(parsed) < 1
        || port(parsed) > PORT_MAX
        || !isHost(parsed.group(1))) {
      throw new IllegalArgumentException("\"" + address + "\" is no address, " + WANTED);
    }
    return parsed;
  }

  /// Whether gRPC takes it for one.
  private static boolean isHost(String host) {
    try {
      return new URI("//" + host).getHost() != null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static int port(Matcher parsed) {
    return Integer.parseInt(parsed.group(2));
  }

  private static String plain(String address) {
    Matcher parsed = parsed(address);
    return parsed.group(1).toLowerCase(Locale.ROOT) + ":" + port(parsed);
  }

  /// The hosts of the addresses: one of them is the name of the service, or none.
  public List<String> hosts() {
    return addresses.stream().map(address -> parsed(address).group(1)).toList();
  }

  /// Whether all of it is this machine.
  public boolean isLoopback() {
    return hosts().stream().allMatch(host -> LOOPBACK.matcher(host).matches());
  }

  /// Whether there may be several proxies, over which calls are spread.
  boolean isSpread() {
    return addresses.size() > 1 || addresses.getFirst().startsWith(DNS);
  }

  /// For gRPC.
  String grpcTarget() {
    if (addresses.size() > 1) {
      return uri(SeveralAddresses.SCHEME, this.toString()).toString();
    }
    String only = addresses.getFirst();
    // Without a scheme gRPC takes a host that is called as one for a scheme.
    return only.startsWith(DNS) ? only : uri("dns", only).toString();
  }

  static URI uri(String scheme, String path) {
    try {
      return new URI(scheme, "", "/" + path, null);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(path + " is no address", e);
    }
  }

  /// As {@link #parse} takes it.
  @Override
  public String toString() {
    return String.join(",", addresses);
  }
}
