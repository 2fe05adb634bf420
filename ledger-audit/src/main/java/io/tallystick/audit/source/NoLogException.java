package io.tallystick.audit.source;

import java.io.IOException;

/// The source named as a log is none, or is of a newer form than this auditor reads: nothing is
/// known of any log then, and nobody is accused.
public final class NoLogException extends IOException {
  private static final long serialVersionUID = 1;

  NoLogException(String message) {
    super(message);
  }
}
