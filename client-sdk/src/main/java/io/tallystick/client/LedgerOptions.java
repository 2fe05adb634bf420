package io.tallystick.client;

import io.tallystick.client.member.FirstMember;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.StateParams;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The options with which a ledger is founded, besides its name and owners. Whether it is public,
/// the window, the state and the styles are fixed for ever.
///
/// @param isPublic whether anyone may read it
/// @param requestWindow how long a request may be on its way: the service remembers signatures for
///   so long, and refuses later arrivals
/// @param clueTrie whether journals may name clues from the first on; else an owner can turn that
///   on later
/// @param state the shape of the ledger's state; null: it has none, and never will
/// @param invitation by a key that the service's operator has allowed to invite founders; null
///   where the service needs none. It is stored in no ledger
/// @param style who writes it
/// @param permanent whether nothing is ever removed from it
/// @param members granted right after the founding, in this order
/// @param stamped whether its head is then stamped, if the service can
public record LedgerOptions(
    boolean isPublic,
    Duration requestWindow,
    boolean clueTrie,
    @Nullable StateParams state,
    @Nullable String invitation,
    LedgerStyle style,
    boolean permanent,
    List<FirstMember> members,
    boolean stamped) {
  /// With clues and without a state.
  public static final LedgerOptions DEFAULT =
      new LedgerOptions(false, Duration.ofMillis(GenesisParams.DEFAULT_WINDOW_MS));

  /// Partitions of two million entries; nodes of about 4 KiB.
  public static final StateParams STATE_DEFAULT = new StateParams(1 << 21, 1, 40, 32, 1);

  public LedgerOptions(boolean isPublic, Duration requestWindow) {
    this(isPublic, requestWindow, true, null, null, LedgerStyle.FEDERATED, false, List.of(), false);
  }

  public LedgerOptions {
    members = List.copyOf(members);
    if (!requestWindow.isPositive()) {
      throw new IllegalArgumentException("requestWindow " + requestWindow + " is not positive");
    }
  }

  public LedgerOptions withInvitation(@Nullable String token) {
    return new LedgerOptions(
        isPublic, requestWindow, clueTrie, state, token, style, permanent, members, stamped);
  }

  /// Without the clue trie: a journal that names a clue is refused, and seals are a little cheaper.
  public LedgerOptions withoutClues() {
    return new LedgerOptions(
        isPublic, requestWindow, false, state, invitation, style, permanent, members, stamped);
  }

  /// With a state: journals may put and delete keys, see {@link LedgerState}. It cannot be turned
  /// on later.
  public LedgerOptions withState() {
    return withState(STATE_DEFAULT);
  }

  /// The same with nodes and partitions of other sizes.
  public LedgerOptions withState(StateParams params) {
    return new LedgerOptions(
        isPublic, requestWindow, clueTrie, params, invitation, style, permanent, members, stamped);
  }

  /// Of another style.
  public LedgerOptions withStyle(LedgerStyle other) {
    return new LedgerOptions(
        isPublic, requestWindow, clueTrie, state, invitation, other, permanent, members, stamped);
  }

  /// No journal and no body can ever be removed.
  public LedgerOptions forEver() {
    return new LedgerOptions(
        isPublic, requestWindow, clueTrie, state, invitation, style, true, members, stamped);
  }

  /// With one more member.
  public LedgerOptions withMember(FirstMember member) {
    List<FirstMember> more = new ArrayList<>(members);
    more.add(member);
    return new LedgerOptions(
        isPublic, requestWindow, clueTrie, state, invitation, style, permanent, more, stamped);
  }

  /// With a first time journal, as {@link LedgerAnchors#requestTime} gets it.
  public LedgerOptions withFirstTime() {
    return new LedgerOptions(
        isPublic, requestWindow, clueTrie, state, invitation, style, permanent, members, true);
  }

  Set<Feature> features() {
    Set<Feature> features = EnumSet.noneOf(Feature.class);
    if (clueTrie) {
      features.add(Feature.CLUE_TRIE);
    }
    if (state != null) {
      features.add(Feature.STATE_FOREST);
    }
    style.feature().ifPresent(features::add);
    if (permanent) {
      features.add(Feature.PERMANENT);
    }
    return features;
  }
}
