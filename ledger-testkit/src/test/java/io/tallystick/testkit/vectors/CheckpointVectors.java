package io.tallystick.testkit.vectors;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.note.NoteKey;
import io.tallystick.note.SignedNote;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/// Topic `checkpoint`: the sample log's head of size 12, and what is no checkpoint of it. The notes
/// of another text are validly signed by the note key: it is the form that is refused.
final class CheckpointVectors {
  private final VectorSet set;
  private final ReferenceLedger log = ReferenceLedger.sample();
  private final String origin = log.keys().authority().origin(log.strand());
  private final String root = root64();
  private final String good = new String(log.checkpoint(12).toArray(), StandardCharsets.UTF_8);
  private final String line = good.substring(good.indexOf('—'));

  CheckpointVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    accept("size-12", good, "the newest head");
    accept("unknown-signature-beside-ours", good + other("witness.example"), "C2SP: ignored");
    accept("our-name-with-another-id", good + other(origin), "C2SP: another key, ignored");
    forms();
    texts();
    signatures();
  }

  private void forms() {
    bad("extension-line", "MALFORMED", signed(text("12", root) + "extension\n"));
    bad("root-line-missing", "MALFORMED", signed(origin + "\n12\n"));
    bad("blank-line-missing", "MALFORMED", good.replace("\n\n", "\n"));
    bad("last-newline-missing", "MALFORMED", good.stripTrailing());
    bad("no-signature-line", "MALFORMED", good.substring(0, good.indexOf('—')));
    bad("carriage-returns", "MALFORMED", good.replace("\n", "\r\n"));
    bad("tab-in-the-text", "MALFORMED", signed(text("12\t", root)));
    bad("dash-is-a-hyphen", "MALFORMED", good.replace('—', '-'));
    bad("signature-base64-not-canonical", "MALFORMED", nonCanonical());
    bad("signature-base64-unpadded", "MALFORMED", good.replace("=\n", "\n"));
    bad("signature-of-no-bytes", "MALFORMED", text("12", root) + "\n— " + origin + " AAAAAA==\n");
    bad("seventeen-signatures", "MALFORMED", good + other("witness.example").repeat(16));
    bad("longer-than-128-KiB", "MALFORMED", "a".repeat(128 * 1024) + good);
  }

  private void texts() {
    bad("size-with-a-leading-zero", "MALFORMED", signed(text("012", root)));
    bad("size-with-a-sign", "MALFORMED", signed(text("+12", root)));
    bad("size-in-arabic-indic-digits", "MALFORMED", signed(text("١٢", root)));
    bad("size-2-to-63", "MALFORMED", signed(text("9223372036854775808", root)));
    bad("size-2-to-63-minus-1", "SIZE_OUT_OF_RANGE", signed(text("9223372036854775807", root)));
    bad("size-0", "SIZE_OUT_OF_RANGE", signed(text("0", root)));
    bad("root-of-31-bytes", "MALFORMED", signed(text("12", "A".repeat(42))));
    bad("root-base64-not-canonical", "MALFORMED", signed(text("12", "A".repeat(42) + "B=")));
    bad("root-base64-url-alphabet", "MALFORMED", signed(text("12", "_".repeat(43) + "=")));
    bad("origin-empty", "MALFORMED", signed("\n12\n" + root + "\n"));
    bad("origin-of-another-strand", "WRONG_ORIGIN", signed(origin + "1\n12\n" + root + "\n"));
    String capital = origin.replace("localhost", "Localhost");
    bad("origin-in-capitals", "WRONG_ORIGIN", signed(capital + "\n12\n" + root + "\n"));
  }

  private void signatures() {
    bad("size-changed-after-signing", "BAD_SIGNATURE", good.replace("\n12\n", "\n13\n"));
    bad("root-changed-after-signing", "BAD_SIGNATURE", good.replace(root, zero64()));
    bad("signed-by-another-key", "WRONG_KEY", signed(text("12", root), SeededSigner.ed25519("x")));
    bad("signed-by-the-receipt-key", "WRONG_KEY", signed(text("12", root), Fixtures.RECEIPT));
    bad("unknown-signature-alone", "WRONG_KEY", text("12", root) + "\n" + other("witness.example"));
    String size7 = new String(log.checkpoint(7).toArray(), StandardCharsets.UTF_8);
    String line7 = size7.substring(size7.indexOf('—'));
    bad("signature-of-another-size", "BAD_SIGNATURE", text("12", root) + "\n" + line7);
    bad("good-and-bad-signature-of-ours", "BAD_SIGNATURE", good + line7);
    bad("line-under-another-name", "WRONG_KEY", good.replace(line, line.replace("— ", "— x")));
  }

  private void accept(String name, String note, String description) {
    set.accept(made(name, note, description));
  }

  private void bad(String name, String reason, String note) {
    set.refuse(reason, made(name, note, "refused for what its name says"));
  }

  private VectorCase made(String name, String note, String description) {
    return ServiceCase.of(log, "checkpoint/" + name, "checkpoint", description)
        .with("note", Bytes.utf8(note));
  }

  private String text(String size, String base64) {
    return origin + "\n" + size + "\n" + base64 + "\n";
  }

  private String signed(String text) {
    return signed(text, Fixtures.NOTE);
  }

  private String signed(String text, SeededSigner signer) {
    Bytes note = SignedNote.sign(text, new NoteKey(origin, signer.publicKey()), signer).encode();
    return new String(note.toArray(), StandardCharsets.UTF_8);
  }

  private static String other(String name) {
    return "— " + name + " AAAAAAA=\n";
  }

  /// The last digit before the padding has spare bits, which must be zero.
  private String nonCanonical() {
    int last = good.length() - "=\n".length() - 1;
    char digit = good.charAt(last);
    return good.substring(0, last) + (char) (digit + 1) + good.substring(last + 1);
  }

  private String root64() {
    return Base64.getEncoder().encodeToString(log.rootAt(12).digest().toArray());
  }

  private static String zero64() {
    return Base64.getEncoder().encodeToString(Digest.ZERO.toArray());
  }
}
