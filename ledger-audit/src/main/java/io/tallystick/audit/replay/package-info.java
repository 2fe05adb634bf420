/// The auditor's own replay of what the seals' feature roots stand for. It shares nothing with the
/// service's storage nor with the verifiers of proofs: tries and trees are plain nodes, and what is
/// too much for the memory is in a file. Start at {@link io.tallystick.audit.replay.ClueReplay} and
/// {@link io.tallystick.audit.replay.StateReplay}. The rules: `docs/formats/clue-trie.md` and
/// `docs/formats/forest.md`.
@NullMarked
package io.tallystick.audit.replay;

import org.jspecify.annotations.NullMarked;
