/// What the ledger asks of cryptography: keys and hashes as types, and the service interface {@link
/// io.tallystick.crypto.Signatures} that another module implements.
@NullMarked
package io.tallystick.crypto;

import org.jspecify.annotations.NullMarked;
