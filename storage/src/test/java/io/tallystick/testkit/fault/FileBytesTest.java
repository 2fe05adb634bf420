package io.tallystick.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.testkit.Seeded;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// Goal: copies of a file share what they have in common and never see each other's changes.
/// Method: random changes of files and their copies, each beside a plain array.
class FileBytesTest {
  private static final int CHANGES = 400;
  private static final int BYTES_MAX = 20_000;

  private static final class Twin {
    final FileBytes file;
    byte[] plain;

    Twin(FileBytes file, byte[] plain) {
      this.file = file;
      this.plain = plain;
    }

    void change(SplittableRandom random) {
      int at = random.nextInt(BYTES_MAX);
      switch (random.nextInt(4)) {
        case 0 -> {
          byte[] bytes = new byte[random.nextInt(9_000)];
          random.nextBytes(bytes);
          file.write(at, bytes);
          plain = Arrays.copyOf(plain, Math.max(plain.length, at + bytes.length));
          System.arraycopy(bytes, 0, plain, at, bytes.length);
        }
        case 1 -> {
          file.truncate(at);
          plain = Arrays.copyOf(plain, Math.min(plain.length, at));
        }
        case 2 -> {
          file.grow(at);
          plain = Arrays.copyOf(plain, Math.max(plain.length, at));
        }
        default -> {
          if (at < plain.length) {
            file.flipBit(at, 3);
            plain[at] ^= 8;
          }
        }
      }
    }
  }

  @Seeded(runs = 20)
  void keepsCopiesApart(SplittableRandom random) {
    List<Twin> twins = new ArrayList<>(List.of(new Twin(new FileBytes(), new byte[0])));
    for (int i = 0; i < CHANGES; i++) {
      Twin twin = twins.get(random.nextInt(twins.size()));
      if (random.nextInt(20) == 0) {
        twins.add(new Twin(twin.file.copy(), twin.plain.clone()));
      }
      twin.change(random);
    }
    for (Twin twin : twins) {
      assertThat(twin.file.toArray()).isEqualTo(twin.plain);
      assertThat(twin.file.size()).isEqualTo(twin.plain.length);
    }
  }
}
