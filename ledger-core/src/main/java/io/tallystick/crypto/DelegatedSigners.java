package io.tallystick.crypto;

import java.io.IOException;

/// Opens keys of one URI scheme. Implementations are found with `java.util.ServiceLoader`, so a key
/// service of one's own needs a jar on the class path and no change here.
public interface DelegatedSigners {
  /// The scheme of the URIs, in lower case and without the colon.
  String scheme();

  /// @param uri which key, and where its holder is; no secret is in it
  /// @throws IOException if the URI is not understood, or its holder has no such key, refuses the
  ///   login or does not answer
  DelegatedSigner open(String uri) throws IOException;
}
