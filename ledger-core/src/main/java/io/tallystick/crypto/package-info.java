/// What the ledger asks of cryptography: keys and hashes as types, and the two service interfaces
/// {@link io.tallystick.crypto.Signatures} and {@link io.tallystick.crypto.BatchHasher} that other
/// modules implement.
@NullMarked
package io.tallystick.crypto;

import org.jspecify.annotations.NullMarked;
