/// Tests of the trie on a device with what the tests of `gpu-native` have in place of one.
@NullMarked
package io.tallystick.gpu;

import org.jspecify.annotations.NullMarked;
