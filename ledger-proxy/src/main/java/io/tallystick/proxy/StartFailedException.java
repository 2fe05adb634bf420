package io.tallystick.proxy;

import java.net.BindException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import java.util.Objects;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.boot.web.server.WebServerException;

/// The service could not start. The message is one plain line for the one who started it.
public final class StartFailedException extends Exception {
  private static final long serialVersionUID = 1;
  private static final String FRAMEWORK = "org.springframework.";
  private static final int CAUSES_MAX = 32;

  private StartFailedException(String message, Throwable cause) {
    super(message, cause);
  }

  /// @param target where gRPC was to listen
  /// @param httpTarget where REST was to listen
  static StartFailedException of(Throwable failure, String target, String httpTarget) {
    if (hasCause(failure, UnsupportedAddressTypeException.class)) {
      return new StartFailedException(
          String.format(
              Locale.ROOT,
              "%s or %s cannot be bound: this machine has no IPv6",
              target,
              httpTarget),
          failure);
    }
    if (isOfHttp(failure)) {
      return new StartFailedException(httpTarget + " is in use or cannot be bound", failure);
    }
    Throwable cause = failure;
    for (int i = 0; i < CAUSES_MAX && cause.getCause() != null && isWrapper(cause); i++) {
      cause = cause.getCause();
    }
    if (hasBindFailure(cause)) {
      return new StartFailedException(target + " is in use or cannot be bound", failure);
    }
    if (cause instanceof FileSystemException file) {
      return new StartFailedException(words(file), failure);
    }
    String message = Objects.requireNonNullElse(cause.getMessage(), cause.getClass().getName());
    return new StartFailedException(message.lines().findFirst().orElse(message), failure);
  }

  /// Its own message may be the path and nothing else.
  private static String words(FileSystemException failure) {
    String why =
        switch (failure) {
          case NoSuchFileException _ -> "it does not exist";
          case AccessDeniedException _ -> "it may not be read or written";
          case FileAlreadyExistsException _, NotDirectoryException _ -> "it is there and no folder";
          default ->
              Objects.requireNonNullElse(failure.getReason(), failure.getClass().getSimpleName());
        };
    return String.format(Locale.ROOT, "cannot use %s: %s", failure.getFile(), why);
  }

  /// Whether the framework only says that something else failed. Code of the build wraps what a
  /// bean's method throws in a plain exception, with the same message.
  private static boolean isWrapper(Throwable failure) {
    return failure.getClass().getName().startsWith(FRAMEWORK)
        || failure.getClass() == RuntimeException.class
        || failure instanceof IllegalStateException;
  }

  private static boolean hasCause(Throwable failure, Class<? extends Throwable> kind) {
    Throwable cause = failure;
    for (int i = 0; i < CAUSES_MAX && cause != null; i++) {
      if (kind.isInstance(cause)) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static boolean isOfHttp(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < CAUSES_MAX && cause != null; i++) {
      if (cause instanceof WebServerException) {
        return hasBindFailure(cause);
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static boolean hasBindFailure(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < CAUSES_MAX && cause != null; i++) {
      // Netty's native transports have an exception of their own, a plain IOException.
      if (cause instanceof BindException
          || cause instanceof PortInUseException
          || String.valueOf(cause.getMessage()).startsWith("bind")) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }
}
