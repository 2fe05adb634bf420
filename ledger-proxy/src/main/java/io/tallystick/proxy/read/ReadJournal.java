package io.tallystick.proxy.read;

import io.tallystick.node.Erasure;
import io.tallystick.node.JournalView;
import java.util.Optional;

/// A journal that was read, and what shows that its body was erased, if it was.
public record ReadJournal(JournalView view, Optional<Erasure> erasure) {}
