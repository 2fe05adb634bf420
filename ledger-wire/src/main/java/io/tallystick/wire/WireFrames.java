package io.tallystick.wire;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.util.Arrays;
import java.util.zip.CRC32C;

/// The bytes of a message: a CRC-32C over all that follows, then the message. Requests cross as
/// they were received, so what a member signed is covered from proxy to server.
final class WireFrames {
  private static final int CRC_BYTES = 4;
  private static final WireValue MESSAGE = new WireValues().of(WireMessage.class);

  private WireFrames() {}

  static byte[] encode(WireMessage message) {
    WireWriter out = new WireWriter();
    out.u32(0);
    MESSAGE.write(message, out);
    byte[] frame = out.toArray();
    int crc = crc(frame);
    for (int i = 0; i < CRC_BYTES; i++) {
      frame[i] = (byte) (crc >>> (24 - 8 * i));
    }
    return frame;
  }

  static WireMessage decode(byte[] frame) throws MalformedException {
    if (frame.length < CRC_BYTES) {
      throw new MalformedException("message of " + frame.length + " bytes");
    }
    int said = new WireReader(Arrays.copyOf(frame, CRC_BYTES)).u32();
    if (said != crc(frame)) {
      throw new MalformedException("checksum of a message is wrong");
    }
    WireReader in = new WireReader(Arrays.copyOfRange(frame, CRC_BYTES, frame.length));
    WireMessage message = (WireMessage) MESSAGE.read(in);
    in.end();
    return message;
  }

  private static int crc(byte[] frame) {
    CRC32C crc = new CRC32C();
    crc.update(frame, CRC_BYTES, frame.length - CRC_BYTES);
    return (int) crc.getValue();
  }

  static Bytes body(WireValue form, Object value) {
    WireWriter out = new WireWriter();
    form.write(value, out);
    return Bytes.wrap(out.toArray());
  }

  static Object value(WireValue form, Bytes body) throws MalformedException {
    WireReader in = new WireReader(body.unsafeArray());
    Object value = form.read(in);
    in.end();
    return value;
  }

  static String shape() {
    return MESSAGE.shape();
  }
}
