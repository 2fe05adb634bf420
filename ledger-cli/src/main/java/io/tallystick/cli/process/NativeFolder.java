package io.tallystick.cli.process;

import io.tallystick.durable.PrivateFile;
import java.io.IOException;
import java.nio.file.Path;

/// Where the libraries that stand on native code unpack it to, load it from and delete it at once.
/// By default that is the temporary folder, where nothing may be executed on some machines.
public final class NativeFolder {
  /// The system property of the Amazon Corretto Crypto Provider.
  private static final String OF_ACCP = "com.amazon.corretto.crypto.provider.tmpdir";

  private static final String OF_NETTY = "io.netty.native.workdir";

  /// The system property of the copy of Netty in gRPC's client.
  private static final String OF_SHADED_NETTY = "io.grpc.netty.shaded." + OF_NETTY;

  private NativeFolder() {}

  /// To be called before their first use; then it changes nothing. If the folder cannot be made,
  /// the temporary folder stays what they take: whoever needs the folder's parent tells why.
  ///
  /// @param folder made with mode 0700
  public static void use(Path folder) {
    try {
      PrivateFile.createDirectory(folder);
    } catch (IOException _) {
      return;
    }
    System.setProperty(OF_ACCP, folder.toString());
    System.setProperty(OF_NETTY, folder.toString());
    System.setProperty(OF_SHADED_NETTY, folder.toString());
  }
}
