package io.tallystick.cluster.process;

import io.tallystick.storage.replicated.ClusterPaths;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Words of options, refused as usage before anything is done.
final class CheckedWords {
  private static final int PORT_MAX = 65_535;

  private CheckedWords() {}

  /// The name of a cluster, or of a process in it.
  static final class Name implements ITypeConverter<String> {
    @Override
    public String convert(String value) {
      if (!ClusterPaths.isName(value)) {
        throw new TypeConversionException(
            "'" + value + "' is no name: at most 63 of a to z, 0 to 9 and '-', the first no '-'");
      }
      return value;
    }
  }

  /// A port, 0 to 65,535.
  static final class Port implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
      try {
        int port = Integer.parseInt(value);
        if (port >= 0 && port <= PORT_MAX) {
          return port;
        }
      } catch (NumberFormatException _) {
        // as one that is out of range
      }
      throw new TypeConversionException("'" + value + "' is no port: 0 to " + PORT_MAX);
    }
  }

  /// Servers of ZooKeeper, as in `host:2181,other:2181`.
  static final class Servers implements ITypeConverter<String> {
    @Override
    public String convert(String value) {
      for (String server : value.split(",", -1)) {
        int colon = server.lastIndexOf(':');
        if (colon < 1) {
          throw new TypeConversionException("'" + server + "' is no HOST:PORT");
        }
        int _ = new Port().convert(server.substring(colon + 1));
      }
      return value;
    }
  }
}
