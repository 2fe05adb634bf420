package io.tallystick.audit.chunk;

import io.tallystick.head.SignedHead;
import io.tallystick.model.LedgerId;
import io.tallystick.tledger.HeadEntry;
import org.jspecify.annotations.Nullable;

/// An entry of a T-Ledger, as far as it is judged without those before it.
///
/// @param head that the submitter's service signed; null if its keys are not known
/// @param lagMs from the head's seal to the entry, 0 if its keys are not known
public record HeldHead(
    long jsn, LedgerId submitter, HeadEntry entry, @Nullable SignedHead head, long lagMs) {}
