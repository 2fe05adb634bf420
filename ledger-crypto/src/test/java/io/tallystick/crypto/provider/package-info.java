/// Tests of the signature providers: all of them must accept exactly the same.
@NullMarked
package io.tallystick.crypto.provider;

import org.jspecify.annotations.NullMarked;
