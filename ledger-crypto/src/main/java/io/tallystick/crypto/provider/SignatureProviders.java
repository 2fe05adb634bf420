package io.tallystick.crypto.provider;

import io.tallystick.crypto.Signatures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The signature providers of this machine. Each is made once and shared.
public final class SignatureProviders {
  private static final Found FOUND = find();

  private SignatureProviders() {}

  private record Found(List<Signatures> available, List<String> unavailable) {}

  /// The fastest provider that runs here: ACCP where its native library loads, else Bouncy Castle.
  public static Signatures best() {
    return FOUND.available.getFirst();
  }

  /// Every provider that runs here, the fastest first.
  public static List<Signatures> all() {
    return FOUND.available;
  }

  /// Why the others do not run here, a sentence each; empty when all do.
  public static List<String> unavailable() {
    return FOUND.unavailable;
  }

  /// @param name as {@link Signatures#providerName}, in any case
  public static Optional<Signatures> byName(String name) {
    String wanted = name.toLowerCase(Locale.ROOT);
    return FOUND.available.stream()
        .filter(provider -> provider.providerName().toLowerCase(Locale.ROOT).equals(wanted))
        .findFirst();
  }

  private static Found find() {
    List<Signatures> available = new ArrayList<>();
    List<String> unavailable = new ArrayList<>();
    try {
      available.add(AccpSignatures.load());
    } catch (UnsupportedPlatformException e) {
      unavailable.add(String.valueOf(e.getMessage()));
    } catch (LinkageError e) {
      unavailable.add(AccpSignatures.NAME + " is not on the class path: " + e.getMessage());
    }
    available.add(new BouncyCastleSignatures());
    return new Found(List.copyOf(available), List.copyOf(unavailable));
  }
}
