package io.tallystick.client.trust;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.fuzz.Edits;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;

/// Goal: whatever becomes of a head file, it is read or refused, and what was read can be replaced
/// by the next statement. Method: Jazzer; `docs/testing.md`. The checksum of every sector is made
/// right first, or nothing behind it would ever be reached.
class HeadSlotsFuzzTest extends FuzzContract {
  private static final int CRC_AT = 20;
  private static final int CONTENT_AT = 24;
  private static final Bytes NEXT = Bytes.utf8("the next statement ".repeat(60));
  private static final Edits FILES = new Edits(files());

  /// After one, two and three statements, the last one of three sectors.
  private static List<List<Bytes>> files() {
    Bytes one = HeadSlots.first(Bytes.utf8("the first statement"));
    Bytes two = replaced(one, Bytes.utf8("the second statement"));
    return List.of(List.of(one), List.of(two), List.of(replaced(two, NEXT)));
  }

  private static Bytes replaced(Bytes file, Bytes content) {
    try {
      HeadSlots.Write write = HeadSlots.newest(file.toArray()).next(content);
      byte[] written = file.toArray();
      write.sectors().copyInto(written, write.position());
      return Bytes.wrap(written);
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  @FuzzTest
  void slots(byte[] program) {
    attempt(
        () -> {
          byte[] file = sealed(FILES.apply(program).getFirst());
          HeadSlots newest = HeadSlots.newest(file);
          if (!HeadSlots.fits(newest.content())) {
            throw new AssertionError("statement of " + newest.content().size() + " bytes");
          }
          HeadSlots next = HeadSlots.newest(replaced(Bytes.wrap(file), NEXT).toArray());
          if (!next.content().equals(NEXT) || next.sequence() != newest.sequence() + 1) {
            throw new AssertionError("replaced by " + next);
          }
        },
        MalformedException.class);
  }

  private static byte[] sealed(Bytes file) {
    byte[] sealed = file.toArray();
    for (int at = 0; at + HeadSlots.SECTOR_BYTES <= sealed.length; at += HeadSlots.SECTOR_BYTES) {
      // Magic's first byte: a sector that was never written stays empty.
      if (sealed[at] != 0) {
        CRC32C crc = new CRC32C();
        crc.update(sealed, at, CRC_AT);
        crc.update(sealed, at + CONTENT_AT, HeadSlots.SECTOR_BYTES - CONTENT_AT);
        ByteBuffer.wrap(sealed).putInt(at + CRC_AT, (int) crc.getValue());
      }
    }
    return sealed;
  }
}
