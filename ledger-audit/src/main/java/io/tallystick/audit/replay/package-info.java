/// The auditor's own replay of what the seals' feature roots stand for. It shares nothing with the
/// service's storage: the tries are plain nodes, spilled to a file where there are too many. Start
/// at {@link io.tallystick.audit.replay.ClueReplay}. The rules: `docs/formats/clue-trie.md`.
@NullMarked
package io.tallystick.audit.replay;

import org.jspecify.annotations.NullMarked;
