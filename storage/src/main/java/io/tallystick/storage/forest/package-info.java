/// The state forest (ViDB's TPBF): {@link io.tallystick.storage.forest.StateForest} applies the
/// operations of whole blocks, {@link io.tallystick.storage.forest.ForestVersion} answers as of one
/// block. Trees are held in memory; {@link io.tallystick.storage.forest.ForestRows} saves the nodes
/// that changed since the savepoint before. Rules and hashes: `docs/formats/forest.md`.
@NullMarked
package io.tallystick.storage.forest;

import org.jspecify.annotations.NullMarked;
