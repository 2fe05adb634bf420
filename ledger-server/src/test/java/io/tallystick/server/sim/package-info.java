/// A simulator of one shard: {@link io.tallystick.server.sim.Simulation} is one run of one seed.
/// How it is run: docs/testing.md.
///
/// *Real*: `Shard`, which has no threads (in production `ShardThreads` takes its turns, here the
/// simulator does), with admission, sequencer, commit, stream, recovery, index, clues, savepoints,
/// reads and erasing; and the auditor at the end.
///
/// *Simulated*, all from one 64-bit seed:
/// - Clock: it steps back and forward by up to an hour.
/// - Network: it drops, delays, duplicates and reorders. Half of the clients use streams, whose
///   neighbours share receipts.
/// - Clients: 1 to 6 on 1 to 4 ledgers, with batches, co-signers, members that come and go,
///   delegated and expiring keys, rotations of the service's keys, time journals, closed ledgers,
///   repeats byte for byte, wrong clocks, and every kind of read.
/// - Clues: from genesis in a third of the ledgers, turned on later in others; deleted ones, and
///   clues named too early.
/// - Notes: proposals that are signed, by two at once too, submitted and withdrawn, and anchors;
///   changes that are doubled, or follow from what was there before.
/// - Removals: occults, snapshots, purges and recalls, right and wrong, within 0 ms to 90 days.
/// - Signatures: a hash ({@link io.tallystick.server.sim.FakeSignatures}); one submission in 64
///   also goes through the real `SubmissionVerifier`.
/// - Disk and meta store: the power fails at any operation; unforced writes survive in any subset
///   of sectors; forces fail; the disk fills; crashes also hit recovery.
/// - Damage, on a copy: a flipped bit, a lost sector, a misdirected write, a truncated file, an
///   unreadable row.
/// - Streams that lose a frame, or have one twice, while a copy is replayed.
/// - Sizes so small that short runs meet the boundaries.
///
/// *Checked*, against {@link io.tallystick.server.sim.Model}, a second sequencer, and {@link
/// io.tallystick.server.sim.History}, the one log that a ledger may have:
/// - Each answer is the model's; a repeat is never executed twice; each submission gets exactly one
///   answer. A failed turn leaves its frame whole or not at all.
/// - Each signed head is one of the history. Each receipt verifies over leaves rebuilt from the
///   client's request.
/// - After a failure the shard does what {@link io.tallystick.server.sim.FailurePolicy} says. After
///   each start all that is durable is there, and beyond it at most that frame; leaves, bodies and
///   proofs are read back.
/// - Clue states, memberships and lineages equal the model's, under clients' code.
/// - Noted rows: those that the shard answers with are the model's after each frame and start, and
///   those of the meta store the model's at the savepoint's position.
/// - Removals: erased bodies are in no file and no row; a recall and an erasing never both come to
///   pass.
/// - At the end the auditor finds no fault, in the whole log and in what purges left.
/// - A replay that loses or doubles a frame is refused. After damage the shard refuses to open, or
///   each read is right or refused as damaged. Only damaged newest frames may be missing, since
///   they look like torn ones (docs/formats/frame.md).
@NullMarked
package io.tallystick.server.sim;

import org.jspecify.annotations.NullMarked;
