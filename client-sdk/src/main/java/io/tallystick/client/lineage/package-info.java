/// The journals of a clue: {@link io.tallystick.client.lineage.LineageWalk}, {@link
/// io.tallystick.client.lineage.ClueLineage}. {@link io.tallystick.client.lineage.LineageReader},
/// which asks and verifies, is not for applications.
@NullMarked
package io.tallystick.client.lineage;

import org.jspecify.annotations.NullMarked;
