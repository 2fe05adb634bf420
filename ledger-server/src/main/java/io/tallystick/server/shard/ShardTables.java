package io.tallystick.server.shard;

import io.tallystick.server.anchor.AnchorTable;
import io.tallystick.server.certificate.ChainTable;
import io.tallystick.server.proposal.ProposalTable;
import io.tallystick.server.removal.ErasureTable;
import io.tallystick.server.removal.SnapshotRows;

/// What a shard keeps beside its log, as one opening of it found and changed it. Whoever wants one
/// asks the shard again for each call: when the shard opens itself again, these change nothing any
/// more, and others take their place.
public record ShardTables(
    ProposalTable proposals,
    AnchorTable anchors,
    ErasureTable erasures,
    ChainTable chains,
    SnapshotRows snapshots) {}
