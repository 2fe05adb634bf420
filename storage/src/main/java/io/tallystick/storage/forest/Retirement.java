package io.tallystick.storage.forest;

import io.tallystick.model.Bytes;
import io.tallystick.storage.page.SlotList;
import java.util.List;
import java.util.Set;

/// What only the versions of a state above one have, to which it is rolled back.
///
/// @param rows keys of their rows
/// @param files names of their files
/// @param slots that they took
record Retirement(List<Bytes> rows, Set<String> files, SlotList slots) {}
