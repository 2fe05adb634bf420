/// The bAMT of a strand: the RFC 9162 tree over its leaves, grown in batches, kept in append-only
/// arrays of every fourth level. {@link io.tallystick.storage.accumulator.Accumulator} is the
/// entry; the format is in `docs/formats/accumulator.md`. Source: LedgerDB section 5.1.
@NullMarked
package io.tallystick.storage.accumulator;

import org.jspecify.annotations.NullMarked;
