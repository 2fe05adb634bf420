/// Signed messages: the one shape of COSE_Sign1 the ledger uses and the five profiles of its
/// protected header. Start at {@link io.tallystick.cose.CoseSign1}. Format:
/// `docs/formats/signature.md`.
@NullMarked
package io.tallystick.cose;

import org.jspecify.annotations.NullMarked;
