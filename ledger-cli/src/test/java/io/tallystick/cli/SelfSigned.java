package io.tallystick.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A certificate that signs itself and its key, in PEM, made by the JDK's keytool.
record SelfSigned(Path certificate, Path privateKey) {
  private static final String PASSWORD = "secret";
  private static final long SECONDS_MAX = 60;

  /// @param names of the subject, as keytool writes them: `ip:127.0.0.1`
  static SelfSigned make(Path folder, String name, String names) throws Exception {
    return make(folder, name, names, 2);
  }

  /// @param days until it expires
  static SelfSigned make(Path folder, String name, String names, int days) throws Exception {
    Path store = folder.resolve(name + ".p12");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin/keytool").toString());
    command.addAll(List.of("-genkeypair", "-alias", name, "-dname", "CN=" + name));
    command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
    command.addAll(List.of("-validity", String.valueOf(days)));
    command.addAll(List.of("-ext", "san=" + names, "-storetype", "PKCS12"));
    command.addAll(List.of("-storepass", PASSWORD, "-keystore", store.toString()));
    Process process = new ProcessBuilder(command).inheritIO().start();
    if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException("keytool made no certificate");
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    SelfSigned made = new SelfSigned(folder.resolve(name + ".crt"), folder.resolve(name + ".key"));
    Files.writeString(made.certificate, pem("CERTIFICATE", keys.getCertificate(name).getEncoded()));
    byte[] pkcs8 = keys.getKey(name, PASSWORD.toCharArray()).getEncoded();
    Files.writeString(made.privateKey, pem("PRIVATE KEY", pkcs8));
    return made;
  }

  private static String pem(String type, byte[] der) {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN " + type + "-----\n" + lines + "\n-----END " + type + "-----\n";
  }

  /// Writes this over another, as an operator renews a certificate.
  void replace(SelfSigned other) throws IOException {
    Files.writeString(other.privateKey, Files.readString(privateKey));
    Files.writeString(other.certificate, Files.readString(certificate));
  }
}
