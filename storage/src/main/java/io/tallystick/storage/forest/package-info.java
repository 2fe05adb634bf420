/// The state forest (ViDB's TPBF): the values that a ledger's operations wrote, provable as of one
/// block. {@link io.tallystick.storage.forest.StateForest} is one strand's and the entry; it
/// applies the operations of whole blocks. Rules and hashes: `docs/formats/forest.md`; files:
/// `docs/formats/state-pages.md`.
///
/// ```
///  store      one shard's states: slot files, page cache, workers              ForestStore
///    │ state of a strand
///  forest     its newest version, and those that can still be read             StateForest
///    │ after each block that changed it
///  version 7 ───────────────┐            version 8                             ForestVersion
///    ├ partition 0 (closed) ├── shared ────┤
///    ├ partition 1 (closed) ├── shared ────┤
///    └ partition 2 (open, as of block 7)   └ partition 2 (open, as of block 8) ForestPartition
///                  │                              │
///                  root                           root'                        NodeRef
///                 /    \                         /     \
///             inner    inner ◄──── shared ──── inner   inner'                  InnerPage
///             /   \    /   \                           /    \
///           leaf leaf leaf leaf ◄──── shared ──────  leaf   leaf'              LeafPage
/// ```
///
/// - A **node** is a vertex of a partition's B+ tree. Its parent has a {@link
///   io.tallystick.storage.forest.NodeRef}: its hash, and its address or, until a savepoint has
///   written it, its page. A node is never changed: a block makes those on the way from its keys to
///   the root anew and shares the others.
/// - A **page** is what a node holds, in memory ({@link io.tallystick.storage.forest.ForestPage}):
///   a leaf's entries, or an inner node's children. On the disk it is an image of the same bytes.
/// - A **partition** is one tree ({@link io.tallystick.storage.forest.ForestPartition}). A block's
///   entries go into the newest, which is open; a full one is closed and never gets another entry.
///   The *fold* carries what is still in force out of the oldest, which then goes.
/// - A **version** is the list of partitions as of one block ({@link
///   io.tallystick.storage.forest.ForestVersion}); its root is the RFC 9162 tree over theirs.
/// - A **store** holds the states of a shard ({@link io.tallystick.storage.forest.ForestStore}).
///   Pages of open partitions lie in its slots ({@link io.tallystick.storage.forest.SlotPages}), a
///   large closed one in a file of its own ({@link io.tallystick.storage.forest.PartFile}). A
///   savepoint writes the newest page of each node that is not written yet.
@NullMarked
package io.tallystick.storage.forest;

import org.jspecify.annotations.NullMarked;
