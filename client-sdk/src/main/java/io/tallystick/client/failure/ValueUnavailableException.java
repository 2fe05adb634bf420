package io.tallystick.client.failure;

import io.tallystick.journal.BodyState;
import io.tallystick.model.Jsn;
import java.util.Locale;

/// A key has a value, which is proven, but the service cannot give it: it was erased, which is
/// verified, too; or it is damaged where it is stored, which is the service's word.
public final class ValueUnavailableException extends TallyException {
  private static final long serialVersionUID = 1;

  private final BodyState state;
  private final long jsn;

  /// @param what the key, for the message
  /// @param state `ERASED` or `DAMAGED`
  /// @param jsn of the journal that wrote the value
  public ValueUnavailableException(String what, BodyState state, Jsn jsn) {
    super(
        String.format(
            Locale.ROOT,
            "the value of key %s, written by journal %s, is %s",
            what,
            jsn,
            state == BodyState.ERASED ? "erased" : "damaged"));
    this.state = state;
    this.jsn = jsn.value();
  }

  /// `ERASED` or `DAMAGED`.
  public BodyState state() {
    return state;
  }

  /// The jsn of the journal that wrote the value.
  public Jsn jsn() {
    return new Jsn(jsn);
  }
}
