package io.tallystick.testkit.vectors;

import io.tallystick.model.Bytes;

/// Topic `cbor`: the one encoding that is accepted, and the others.
final class CborVectors {
  private final VectorSet set;

  CborVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    good("uint-0", "uint", "00");
    good("uint-23", "uint", "17");
    good("uint-24", "uint", "1818");
    good("uint-256", "uint", "190100");
    good("uint-65536", "uint", "1a00010000");
    good("uint-largest", "uint", "1b7fffffffffffffff");
    good("integer-minus-70002", "integer", "3a00011171");
    good("bytes-empty", "bytes", "40");
    good("text-two-byte-character", "text", "62c3a9");
    good("tag-18", "tag18", "d2");
    bad("uint-23-in-two-bytes", "uint", "1817");
    bad("uint-255-in-three-bytes", "uint", "1900ff");
    bad("uint-65535-in-five-bytes", "uint", "1a0000ffff");
    bad("uint-of-32-bits-in-nine-bytes", "uint", "1b00000000ffffffff");
    bad("uint-above-2-to-63", "uint", "1b8000000000000000");
    bad("uint-as-negative", "uint", "20");
    bad("uint-as-float", "uint", "f93c00");
    bad("uint-as-bignum", "uint", "c24101");
    bad("uint-head-truncated", "uint", "1901");
    bad("uint-reserved-length", "uint", "1c");
    bad("uint-with-bytes-left-over", "uint", "0000");
    bad("uint-of-nothing", "uint", "");
    bad("negative-head-not-shortest", "integer", "3800");
    bad("bytes-indefinite", "bytes", "5f4101ff");
    bad("bytes-head-not-shortest", "bytes", "580101");
    bad("bytes-longer-than-input", "bytes", "5a7fffffff00");
    bad("bytes-as-text", "bytes", "6161");
    bad("text-indefinite", "text", "7f6161ff");
    bad("text-not-utf8", "text", "62c328");
    bad("text-overlong-utf8", "text", "62c080");
    bad("text-surrogate", "text", "63eda080");
    bad("array-indefinite", "array", "9fff");
    bad("array-longer-than-input", "array", "9a7fffffff");
    bad("array-head-not-shortest", "array", "9800");
    bad("map-indefinite", "map", "bfff");
    bad("map-longer-than-input", "map", "a201");
    bad("tag-head-not-shortest", "tag18", "d812");
    bad("tag-98", "tag18", "d862");
    bad("flag-as-number", "flag", "01");
    bad("flag-in-two-bytes", "flag", "f815");
    bad("nil-as-undefined", "array", "f7");
    bad("break-alone", "uint", "ff");
  }

  private void good(String name, String as, String input) {
    set.accept(cbor(name, as, input));
  }

  private void bad(String name, String as, String input) {
    set.refuse("MALFORMED", cbor(name, as, input));
  }

  private static VectorCase cbor(String name, String as, String input) {
    return VectorCase.of("cbor/" + name, "cbor", name.replace('-', ' '))
        .with("as", as)
        .with("input", Bytes.fromHex(input));
  }
}
