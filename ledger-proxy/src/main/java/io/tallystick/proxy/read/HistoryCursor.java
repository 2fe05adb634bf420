package io.tallystick.proxy.read;

import java.util.OptionalLong;

/// Where the next page of a key's history begins.
///
/// @param size of the tree that all pages are proven in
/// @param before only journals below it are left
/// @param newer the oldest write that was shown
public record HistoryCursor(long size, long before, OptionalLong newer) {}
