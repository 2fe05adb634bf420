package io.tallystick.client.trust;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Bytes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// The worked examples of `docs/formats/trust-store.md` are the bytes we write: each block marked
/// `hex NAME`, without what stands behind `#`, against the sector made anew without its zeros.
class TrustStoreFormatTest {
  private static final Path PAGE = Path.of("../docs/formats/trust-store.md");
  private static final Pattern BLOCK =
      Pattern.compile("^```hex ([a-z-]+)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

  @Test
  void thePageShowsTheSectorsWeWrite() throws Exception {
    byte[] file = HeadSlots.first(Bytes.utf8("first statement")).toArray();
    HeadSlots.Write second = HeadSlots.newest(file).next(Bytes.utf8("second statement"));
    Map<String, String> want =
        Map.of("first", shown(file, 0), "second", shown(second.sectors().unsafeArray(), 0));
    assertThat(blocks()).isEqualTo(want);
    assertThat(second.position()).isEqualTo(4096);
  }

  private static String shown(byte[] sectors, int at) {
    int end = at + HeadSlots.SECTOR_BYTES;
    while (sectors[end - 1] == 0) {
      end--;
    }
    return Bytes.wrap(Arrays.copyOfRange(sectors, at, end)).hex();
  }

  private static Map<String, String> blocks() throws Exception {
    Map<String, String> blocks = new LinkedHashMap<>();
    Matcher matcher = BLOCK.matcher(Files.readString(PAGE));
    while (matcher.find()) {
      String hex =
          matcher
              .group(2)
              .lines()
              .map(line -> line.replaceAll("#.*", "").replaceAll("\\s", ""))
              .collect(Collectors.joining());
      blocks.put(matcher.group(1), hex);
    }
    return blocks;
  }
}
