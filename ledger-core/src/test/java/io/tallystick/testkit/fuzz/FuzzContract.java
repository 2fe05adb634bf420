package io.tallystick.testkit.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.sun.management.ThreadMXBean;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.Effort;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What a class of fuzz targets must hold besides never failing: its seeds are what their names
/// say, or a target would be attacked from nowhere; and no length that an input merely claims makes
/// a target allocate.
///
/// The seeds of target `name` are `<class>Inputs/name/` in the test resources, beside the class.
/// One is accepted by the target unless its file name begins with `bad-`. The short form claims
/// each length at some 16 places of a seed, and each length at other places than the one before.
public abstract class FuzzContract {
  private static final Path RESOURCES = Path.of("src/test/resources");
  private static final String BAD = "bad-";
  private static final long ALLOCATED_BYTES_MAX = 256 << 10;
  private static final int ALLOCATED_PER_INPUT_BYTE_MAX = 64;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /// Lengths that nothing here may have, as CBOR heads of a byte string, a text, an array and a
  /// map, and as big-endian numbers.
  private static final List<Bytes> CLAIMS =
      Stream.of(
              "5a7fffffff",
              "5b000000007fffffff",
              "5b7fffffffffffffff",
              "7a7ffffff0",
              "9a7fffffff",
              "9b0000000100000000",
              "ba3fffffff",
              "7fffffff",
              "00ffffff",
              "ffffffff",
              "000000007fffffff")
          .map(Bytes::fromHex)
          .toList();

  private boolean accepted;

  /// Decodes and encodes again.
  @FunctionalInterface
  protected interface Codec {
    /// @throws Exception the documented refusal, and nothing else
    Bytes reencode(Bytes input) throws Exception;
  }

  /// Something that refuses by throwing.
  @FunctionalInterface
  protected interface Check {
    /// @throws Exception the documented refusal, and nothing else
    void run() throws Exception;
  }

  /// Whatever this decoder takes has one encoding only, and what it refuses is malformed.
  protected final void decoder(byte[] input, Codec codec) {
    decoder(input, codec, MalformedException.class);
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // the classes are only listed
  protected final void decoder(byte[] input, Codec codec, Class<? extends Exception>... refusals) {
    Bytes bytes = Bytes.copyOf(input);
    run(
        () -> {
          Bytes encoded = codec.reencode(bytes);
          if (!encoded.equals(bytes)) {
            throw new AssertionError("read " + bytes.hex() + ", which is " + encoded.hex());
          }
        },
        List.of(refusals));
  }

  /// Runs a check that ends well or with one of `refusals`, which must say something.
  @SafeVarargs
  @SuppressWarnings("varargs") // the classes are only listed
  protected final void attempt(Check check, Class<? extends Exception>... refusals) {
    run(check, List.of(refusals));
  }

  private void run(Check check, List<Class<? extends Exception>> refusals) {
    accepted = false;
    try {
      check.run();
      accepted = true;
    } catch (Exception e) {
      if (refusals.stream().noneMatch(refusal -> refusal.isInstance(e))) {
        throw new AssertionError("not a documented refusal", e);
      }
      String message = e.getMessage();
      if (message == null || message.isBlank() || message.endsWith(": null")) {
        throw new AssertionError("a refusal that says nothing: " + message, e);
      }
    }
  }

  /// How much a target may allocate for an input without bytes; more for targets that build
  /// something around it.
  protected long allocatedBytesMax() {
    return ALLOCATED_BYTES_MAX;
  }

  @Test
  final void everySeedIsWhatItsNameSays() throws IOException {
    for (Method target : targets()) {
      int good = 0;
      for (Path seed : seeds(target)) {
        attack(target, Files.readAllBytes(seed));
        boolean bad = String.valueOf(seed.getFileName()).startsWith(BAD);
        assertThat(accepted).as("accepted: %s", seed).isEqualTo(!bad);
        good += bad ? 0 : 1;
      }
      assertThat(good).as("good seeds of %s", target.getName()).isPositive();
    }
  }

  @Test
  final void noClaimedLengthIsAllocated() throws IOException {
    for (Method target : targets()) {
      for (Path path : seeds(target)) {
        byte[] seed = Files.readAllBytes(path);
        attack(target, seed); // classes are loaded and caches filled before anything is measured
        int step = 1 + seed.length / Effort.of(16, 512);
        for (int i = 0; i < CLAIMS.size(); i++) {
          Bytes claim = CLAIMS.get(i);
          for (int at = i % step; at + claim.size() <= seed.length; at += step) {
            measure(target, path, claimed(seed, at, claim), at);
          }
        }
      }
    }
  }

  private void measure(Method target, Path seed, byte[] input, int at) {
    long limit = allocatedBytesMax() + (long) ALLOCATED_PER_INPUT_BYTE_MAX * input.length;
    long allocated = allocatedBytes(target, input);
    if (allocated > limit) {
      // A class that only this input needed was loaded; what a length makes it allocate comes
      // again.
      allocated = allocatedBytes(target, input);
    }
    if (allocated > limit) {
      throw new AssertionError(
          String.format(
              Locale.ROOT,
              "%s with a length claimed at %d allocates %d bytes, at most %d",
              seed,
              at,
              allocated,
              limit));
    }
  }

  private long allocatedBytes(Method target, byte[] input) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    attack(target, input);
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  private static byte[] claimed(byte[] seed, int at, Bytes claim) {
    byte[] input = seed.clone();
    ByteBuffer.wrap(input).put(at, claim.unsafeArray());
    return input;
  }

  private List<Method> targets() {
    List<Method> targets = new ArrayList<>();
    for (Method method : getClass().getDeclaredMethods()) {
      if (method.isAnnotationPresent(FuzzTest.class)) {
        method.setAccessible(true);
        targets.add(method);
      }
    }
    assertThat(targets).as("targets of %s", getClass()).isNotEmpty();
    return targets;
  }

  private List<Path> seeds(Method target) throws IOException {
    Path folder =
        RESOURCES
            .resolve(getClass().getName().replace('.', '/') + "Inputs")
            .resolve(target.getName());
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  private void attack(Method target, byte[] input) {
    try {
      target.invoke(this, (Object) input);
    } catch (InvocationTargetException e) {
      throw new AssertionError(target + " of " + Bytes.wrap(input).hex(), e.getCause());
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }
}
