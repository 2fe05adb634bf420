@NullMarked
package io.tallystick.crypto.provider.pkcs11;

import org.jspecify.annotations.NullMarked;
