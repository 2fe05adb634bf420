package io.tallystick.server.state;

import java.io.IOException;

/// An image that is read before its file is here: to be asked for again.
public final class ImageNotFetchedException extends IOException {
  private static final long serialVersionUID = 1;

  ImageNotFetchedException(String file) {
    super("image " + file + " is being fetched; ask again");
  }
}
