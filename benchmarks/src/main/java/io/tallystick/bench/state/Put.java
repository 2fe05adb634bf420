package io.tallystick.bench.state;

import io.tallystick.model.Bytes;

/// One write of a value.
///
/// @param salt 32 random bytes, as those of the journal that would write it
record Put(Bytes key, Bytes salt, Bytes value) {}
