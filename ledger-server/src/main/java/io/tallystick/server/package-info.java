/// The commit and index phases of the ledger: sequences verified submissions, forces them, seals
/// them into blocks and answers proofs. {@link io.tallystick.server.LedgerNode} is the entry,
/// spoken to in one process or over the cluster's wire.
@NullMarked
package io.tallystick.server;

import org.jspecify.annotations.NullMarked;
