/// What clients of a service were told, held against its log: {@link
/// io.tallystick.cluster.history.HistoryCheck} judges a {@link
/// io.tallystick.cluster.history.History}. The log gives the order, so nothing is searched for.
@NullMarked
package io.tallystick.cluster.history;

import org.jspecify.annotations.NullMarked;
