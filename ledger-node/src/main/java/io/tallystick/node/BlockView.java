package io.tallystick.node;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;

/// A sealed block and the head signed over it.
///
/// @param size sealJsn + 1
/// @param root of the tree of `size` leaves
/// @param headReceipt COSE receipt of the seal leaf under that head
public record BlockView(
    long height,
    long firstJsn,
    long sealJsn,
    long timeMs,
    Bytes sealLeaf,
    Digest blockHash,
    long size,
    Digest root,
    Bytes headReceipt) {}
