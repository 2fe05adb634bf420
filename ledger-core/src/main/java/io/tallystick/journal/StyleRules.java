package io.tallystick.journal;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import java.util.Locale;
import java.util.Set;

/// The rules of a ledger's style, as far as a request shows by itself that it breaks them. That a
/// mono ledger has one owner at each jsn, and an owner is granted only in place of another, is for
/// the table of members. Source: `docs/formats/people-and-time.md`, "Styles".
public final class StyleRules {
  private StyleRules() {}

  /// What a ledger is to be founded with, before its owners sign it.
  ///
  /// @param owners how many it would have
  /// @param shaped whether the shape of a state is given
  /// @throws RequestRejectedException `FEATURE_CONFLICT` if one part excludes another
  public static void checkFounding(Set<Feature> features, int owners, boolean shaped)
      throws RequestRejectedException {
    if (features.contains(Feature.MONO) && owners != 1) {
      throw conflict(owners + " owners", Feature.MONO);
    }
    if (features.contains(Feature.MONO) && features.contains(Feature.DELEGATED)) {
      throw conflict(
          String.format(
              Locale.ROOT, "feature %d (%s)", Feature.DELEGATED.code(), Feature.DELEGATED),
          Feature.MONO);
    }
    if (shaped && !features.contains(Feature.STATE_FOREST)) {
      throw new RequestRejectedException(
          RejectionCode.FEATURE_CONFLICT,
          String.format(
              Locale.ROOT,
              "the shape of a state without feature %d (%s)",
              Feature.STATE_FOREST.code(),
              Feature.STATE_FOREST));
    }
  }

  /// One of the members that are granted right after the founding.
  ///
  /// @throws RequestRejectedException `FEATURE_CONFLICT` for one that the style does not know
  public static void checkFirst(Set<Feature> features, Role role, boolean delegated)
      throws RequestRejectedException {
    if (features.contains(Feature.MONO) && role == Role.OWNER) {
      throw conflict("a second owner", Feature.MONO);
    }
    try {
      checkWriter(features, role, delegated);
    } catch (RequestRejectedException e) {
      throw new RequestRejectedException(
          RejectionCode.FEATURE_CONFLICT, String.valueOf(e.getMessage()), e);
    }
  }

  private static RequestRejectedException conflict(String what, Feature feature) {
    return new RequestRejectedException(RejectionCode.FEATURE_CONFLICT, within(what, feature));
  }

  /// @param style the features of genesis
  /// @throws RequestRejectedException `FEATURE_FORBIDS` for a removal from a permanent ledger,
  ///   `ROLE_NOT_ALLOWED` for a member that the style does not know
  public static void check(Set<Feature> style, RequestHeader header)
      throws RequestRejectedException {
    Kind kind = header.kind();
    if (style.contains(Feature.PERMANENT) && (kind == Kind.PURGE || kind == Kind.OCCULT)) {
      throw new RequestRejectedException(
          RejectionCode.FEATURE_FORBIDS,
          String.format(
              Locale.ROOT,
              "kind %d (%s) in a ledger with feature 5 (PERMANENT)",
              kind.code(),
              kind));
    }
    switch (header.extension()) {
      case Extension.MemberAdd add -> {
        checkWriter(style, add.role(), false);
        if (style.contains(Feature.MONO) && add.role() == Role.OWNER) {
          throw notAllowed(Feature.MONO, "a second owner");
        }
      }
      case Extension.Grant grant -> checkWriter(style, grant.role(), grant.delegated());
      case Extension.None unused -> {}
      case Extension.MemberRevoke unused -> {}
      case Extension.Parameters unused -> {}
      case Extension.KeyRotation unused -> {}
      case Extension.Time unused -> {}
      case Extension.Removal unused -> {}
      case Extension.Close unused -> {}
    }
  }

  private static void checkWriter(Set<Feature> style, Role role, boolean delegated)
      throws RequestRejectedException {
    if (role == Role.NORMAL && style.contains(Feature.MONO)) {
      throw notAllowed(Feature.MONO, "a normal member");
    }
    if (role == Role.NORMAL && style.contains(Feature.DELEGATED) && !delegated) {
      throw notAllowed(Feature.DELEGATED, "a normal member whose key is not marked as delegated");
    }
  }

  private static RequestRejectedException notAllowed(Feature feature, String what) {
    return new RequestRejectedException(RejectionCode.ROLE_NOT_ALLOWED, within(what, feature));
  }

  private static String within(String what, Feature feature) {
    return String.format(
        Locale.ROOT, "%s in a ledger with feature %d (%s)", what, feature.code(), feature);
  }
}
