/// Cryptography as the ledger asks for it: keys and hashes as types, and the service interface
/// {@link io.tallystick.crypto.Signatures} that another module implements.
@NullMarked
package io.tallystick.crypto;

import org.jspecify.annotations.NullMarked;
