/// Receipts (RFC 9942): a leaf is in the log the service signed. Start at {@link
/// io.tallystick.receipt.Receipt} for one journal and {@link io.tallystick.receipt.RangeReceipt}
/// for a run of them; both yield a {@link io.tallystick.head.SignedHead}. Format:
/// `docs/formats/receipt.md`.
@NullMarked
package io.tallystick.receipt;

import org.jspecify.annotations.NullMarked;
