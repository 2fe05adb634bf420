package io.tallystick.client.internal.key;

import io.tallystick.crypto.DelegatedSigner;
import io.tallystick.crypto.DelegatedSigners;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Finds who opens a key by its URI's scheme. Source: RFC 3986 section 3.1.
public final class DelegatedKeys {
  private static final Pattern URI = Pattern.compile("([a-z][a-z0-9+.-]*):[!-~]+");

  private DelegatedKeys() {}

  /// The URI, if a key file holds one and nothing else.
  public static Optional<String> uriIn(byte[] file) {
    String text = new String(file, StandardCharsets.ISO_8859_1).strip();
    return URI.matcher(text).matches() ? Optional.of(text) : Optional.empty();
  }

  public static DelegatedSigner open(String uri) throws IOException {
    Matcher matcher = URI.matcher(uri);
    if (!matcher.matches()) {
      throw new IOException("no URI of a key: " + uri);
    }
    TreeSet<String> known = new TreeSet<>();
    for (DelegatedSigners signers : ServiceLoader.load(DelegatedSigners.class)) {
      if (signers.scheme().equals(matcher.group(1))) {
        return signers.open(uri);
      }
      known.add(signers.scheme());
    }
    throw new IOException(
        String.format(
            Locale.ROOT,
            "keys of scheme %s are not known here, only: %s",
            matcher.group(1),
            String.join(", ", known)));
  }
}
