/// The state forest (ViDB's TPBF): {@link io.tallystick.storage.forest.ForestStore} holds the
/// states of a shard, {@link io.tallystick.storage.forest.StateForest} applies the operations of
/// whole blocks, {@link io.tallystick.storage.forest.ForestVersion} answers as of one block. Nodes
/// are pages in slots; a savepoint writes the newest image of each that changed. Rules and hashes:
/// `docs/formats/forest.md`; pages: `docs/formats/state-pages.md`.
@NullMarked
package io.tallystick.storage.forest;

import org.jspecify.annotations.NullMarked;
