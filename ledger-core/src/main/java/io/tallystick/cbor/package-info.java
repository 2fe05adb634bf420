/// Deterministic CBOR (RFC 8949 section 4.2.1), the subset the ledger hashes: {@link
/// io.tallystick.cbor.CborWriter} makes the one encoding, {@link io.tallystick.cbor.CborReader}
/// refuses every other.
@NullMarked
package io.tallystick.cbor;

import org.jspecify.annotations.NullMarked;
