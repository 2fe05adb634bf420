package io.tallystick.journal;

import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.Fixtures;
import java.util.Optional;
import java.util.OptionalLong;

/// Contents of kinds 19, 20 and 24 with every field there.
final class TrustSamples {
  private static final Digest HASH = Digest.fromHex("ab".repeat(32));

  private TrustSamples() {}

  static Extension.KeyRotation rotation() {
    return new Extension.KeyRotation(
        Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey());
  }

  static Extension.Time token() {
    return time(99, 7, 3);
  }

  static Extension.Time tLedger() {
    TimeProof proof =
        new TimeProof.TLedger(
            new LedgerId(HASH), Bytes.utf8("file"), HASH.toBytes(), Bytes.utf8("body"));
    return new Extension.Time(new TreeSize(99), new JournalRoot(HASH), Optional.empty(), proof);
  }

  /// @param previous 0 for none
  static Extension.Time time(long size, long previous, long tokenBytes) {
    return new Extension.Time(
        new TreeSize(size),
        new JournalRoot(HASH),
        previous == 0 ? Optional.empty() : Optional.of(new JournalRef(new Jsn(previous), HASH)),
        new TimeProof.Token(Bytes.wrap(new byte[(int) tokenBytes])));
  }

  static Extension.Grant grant() {
    return grant(Sample.TIME_MS);
  }

  static Extension.Grant grant(long notAfterMs) {
    return new Extension.Grant(
        Role.NORMAL,
        Fixtures.CAROL.publicKey(),
        OptionalLong.of(notAfterMs),
        Optional.of(HASH),
        true,
        Optional.of(HASH));
  }
}
