package io.tallystick.bench.state;

import io.tallystick.model.Bytes;

/// A key with its value, as a contender holds it.
record Found(Bytes key, Bytes value) {}
