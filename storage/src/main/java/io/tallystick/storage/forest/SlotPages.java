package io.tallystick.storage.forest;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.page.SlotList;
import io.tallystick.storage.page.SlotSizes;
import io.tallystick.storage.page.SlotStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Pages in slots, big-endian. The checksum covers the slot's address and all behind it, so a
/// misdirected write is noticed. A page that no slot holds goes on in further ones. The owner
/// writes, any thread reads. Source: `docs/formats/state-pages.md`.
///
/// ```
///  0        4       5              6            10
///  +--------+-------+--------------+------------+----------------------------+-------+
///  | crc32c | level | rest count r | bytes (u32) | addresses of the rest (6, r) | image |
///  +--------+-------+--------------+------------+----------------------------+-------+
///  a further slot: crc32c | image, as it goes on
/// ```
final class SlotPages implements PageSource {
  /// Set in the addresses of pages that lie beside those of another store: no slot store is so
  /// large.
  private static final long BESIDE = 1L << 47;

  /// Only a page in a slot of this size may have further slots.
  private static final SlotSizes SIZES = SlotSizes.STATE;

  private static final int CRC_BYTES = Integer.BYTES;
  private static final int HEAD_BYTES = 10;
  private static final int ADDRESS_BYTES = 6;
  private static final int REST_MAX = 64;
  private static final int REST_IMAGE_BYTES = SIZES.bytesMax() - CRC_BYTES;

  /// The longest image: {@link #REST_MAX} further slots are filled.
  static final int IMAGE_BYTES_MAX = REST_MAX * REST_IMAGE_BYTES;

  private final SlotStore slots;
  private final @Nullable SlotPages base;
  private final AddressList taken = new AddressList();
  private final ByteBuffer out = ByteBuffer.allocate(SIZES.bytesMax());
  private final ThreadLocal<byte[]> reading =
      ThreadLocal.withInitial(() -> new byte[SIZES.bytesMax()]);

  SlotPages(SlotStore slots) {
    this.slots = slots;
    this.base = null;
  }

  /// Beside the pages of another store, which are read as well.
  SlotPages(SlotStore slots, SlotPages base) {
    this.slots = slots;
    this.base = base;
  }

  /// Whether a page is another store's.
  boolean isOfBase(long address) {
    return base != null && (address & BESIDE) == 0;
  }

  /// The address in the store's own slots.
  long slot(long address) {
    return base == null ? address : address & ~BESIDE;
  }

  /// Gives back a slot that no version needs.
  void giveBack(long address) throws CorruptStreamException {
    slots.giveBack(slot(address));
  }

  @Override
  public long id() {
    return 0;
  }

  @Override
  public boolean mayHold(SoughtKey key) {
    return true;
  }

  /// Slots are kept by versions.
  @Override
  public boolean retain() {
    return true;
  }

  @Override
  public void release() {}

  /// Whether the page at an address may have further slots.
  static boolean mayGoOn(long address) {
    return SIZES.bytesAt(address) == SIZES.bytesMax();
  }

  /// Takes slots for a page and fills them; it can be read once they are flushed. Its children have
  /// addresses. For the owner.
  ///
  /// @return the address of the first slot
  long write(ForestPage page) throws IOException {
    byte[] image = page.image();
    int rest =
        Math.max(
            0,
            Math.ceilDiv(
                HEAD_BYTES + image.length - SIZES.bytesMax(), REST_IMAGE_BYTES - ADDRESS_BYTES));
    if (rest > REST_MAX) {
      throw new AssertionError("a page of " + image.length + " bytes");
    }
    int head = HEAD_BYTES + rest * ADDRESS_BYTES;
    int first = Math.min(image.length, SIZES.bytesMax() - head);
    long[] addresses = new long[rest];
    int from = first;
    for (int i = 0; i < rest; i++) {
      int count = Math.min(REST_IMAGE_BYTES, image.length - from);
      out.clear().position(CRC_BYTES).put(image, from, count);
      addresses[i] = writeSlot();
      from += count;
    }
    page.rest(addresses);
    out.clear().position(CRC_BYTES);
    out.put((byte) page.level()).put((byte) rest).putInt(image.length);
    for (long address : addresses) {
      out.putShort((short) (address >>> Integer.SIZE)).putInt((int) address);
    }
    out.put(image, 0, first);
    return writeSlot();
  }

  private long writeSlot() throws IOException {
    int count = out.position();
    long address = slots.next(count);
    out.putInt(0, checksum(address, out.array(), count));
    slots.write(address, out.array(), count);
    taken.add(address);
    return base == null ? address : address | BESIDE;
  }

  /// The slots that were taken since this was last asked for. For the owner.
  SlotList taken() {
    return SlotList.of(taken.drain());
  }

  @Override
  public ForestPage read(long at) throws IOException, CorruptStreamException {
    if (base != null && isOfBase(at)) {
      return base.read(at);
    }
    long address = slot(at);
    byte[] slot = reading.get();
    int bytes = slots.read(address, slot);
    ByteBuffer in = ByteBuffer.wrap(slot, 0, bytes);
    int level = slot[CRC_BYTES] & 0xff;
    int rest = slot[CRC_BYTES + 1] & 0xff;
    int imageBytes = in.getInt(CRC_BYTES + 2);
    int head = HEAD_BYTES + rest * ADDRESS_BYTES;
    if (rest > (mayGoOn(address) ? REST_MAX : 0)
        || imageBytes < 0
        || imageBytes > (rest == 0 ? bytes - head : IMAGE_BYTES_MAX)) {
      throw slots.damage(address, "the node's slot has lengths beyond its end");
    }
    int first = Math.min(imageBytes, bytes - head);
    checkSum(address, slot, head + first);
    long[] addresses = new long[rest];
    in.position(HEAD_BYTES);
    for (int i = 0; i < rest; i++) {
      addresses[i] = (in.getShort() & 0xffffL) << Integer.SIZE | (in.getInt() & 0xffffffffL);
    }
    byte[] image = new byte[imageBytes];
    System.arraycopy(slot, head, image, 0, first);
    readRest(addresses, slot, image, first);
    return page(address, level, image, addresses);
  }

  private void readRest(long[] addresses, byte[] slot, byte[] image, int first)
      throws IOException, CorruptStreamException {
    int at = first;
    for (long rest : addresses) {
      long address = slot(rest);
      int bytes = slots.read(address, slot);
      int count = Math.min(bytes - CRC_BYTES, image.length - at);
      checkSum(address, slot, CRC_BYTES + count);
      System.arraycopy(slot, CRC_BYTES, image, at, count);
      at += count;
    }
  }

  private ForestPage page(long address, int level, byte[] image, long[] rest)
      throws CorruptStreamException {
    try {
      ForestPage page = level == 0 ? LeafPage.of(image) : InnerPage.of(level, image);
      page.rest(rest);
      return page;
    } catch (MalformedException e) {
      throw slots.damage(address, "node: " + e.getMessage(), e);
    }
  }

  private void checkSum(long address, byte[] slot, int count) throws CorruptStreamException {
    if (ByteBuffer.wrap(slot).getInt(0) != checksum(address, slot, count)) {
      throw slots.damage(address, "checksum of the node's slot is wrong");
    }
  }

  private static int checksum(long address, byte[] slot, int count) {
    CRC32C crc = new CRC32C();
    for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      crc.update((int) (address >>> shift) & 0xff);
    }
    crc.update(slot, CRC_BYTES, count - CRC_BYTES);
    return (int) crc.getValue();
  }

  @Override
  public CorruptStreamException damage(long address, String what) {
    return base != null && isOfBase(address)
        ? base.damage(address, what)
        : slots.damage(slot(address), what);
  }
}
