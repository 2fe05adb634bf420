/// Keys in hardware security modules, through PKCS#11; {@link
/// io.tallystick.crypto.provider.pkcs11.Pkcs11Signers} opens them.
@NullMarked
package io.tallystick.crypto.provider.pkcs11;

import org.jspecify.annotations.NullMarked;
