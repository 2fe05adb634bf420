package io.tallystick.gpu;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/// The kernels as PTX 6.3 for sm_70, which a driver of CUDA 10 or later assembles for its device,
/// of compute capability 7.0 or higher. It is committed with the digests of its sources, so that
/// nobody needs a CUDA compiler to build.
public final class KernelImage {
  private static final String RESOURCE = "tallystick.ptx";

  private KernelImage() {}

  /// The text, in ASCII.
  public static String ptx() {
    try (InputStream resource = KernelImage.class.getResourceAsStream(RESOURCE)) {
      if (resource == null) {
        throw new AssertionError("no " + RESOURCE + " beside " + KernelImage.class);
      }
      return new String(resource.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
