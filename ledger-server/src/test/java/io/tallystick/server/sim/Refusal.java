package io.tallystick.server.sim;

import io.tallystick.model.RejectionCode;

/// A refusal on the way out of the rules.
final class Refusal extends Exception {
  private static final long serialVersionUID = 1;
  final RejectionCode code;

  Refusal(RejectionCode code) {
    super(code.name(), null, false, false);
    this.code = code;
  }
}
