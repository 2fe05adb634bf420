package io.tallystick.node;

import io.tallystick.model.Bytes;
import java.util.OptionalLong;

/// Why the body of a journal is not there any more.
///
/// @param removal jsn of the occult that erases it
/// @param receiptFile of that occult, type 9 in `docs/formats/receipt.md`
/// @param attestation of that occult
/// @param doneMs when the last byte of all that it names was erased and forced; empty before
public record Erasure(long removal, Bytes receiptFile, Bytes attestation, OptionalLong doneMs) {}
