/// The words of the ledger as types: digests, jsns, sizes, ledger ids, keys, and the ways a request
/// or a piece of evidence can fail. Start at {@link io.tallystick.model.Digest}.
@NullMarked
package io.tallystick.model;

import org.jspecify.annotations.NullMarked;
