package io.tallystick.master.identity;

import java.util.Locale;

/// The cluster is founded, with other values.
public final class OtherClusterException extends Exception {
  private static final long serialVersionUID = 1;

  /// What differs.
  public enum Field {
    AUTHORITY,
    SHARDS,
    FORMATS,
    KEYS
  }

  private final Field field;

  OtherClusterException(String cluster, Field field, Object there, Object wanted) {
    super(
        String.format(
            Locale.ROOT,
            "cluster %s is founded with %s %s, not %s",
            cluster,
            field.name().toLowerCase(Locale.ROOT),
            there,
            wanted));
    this.field = field;
  }

  public Field field() {
    return field;
  }
}
