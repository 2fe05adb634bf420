package io.tallystick.client.failure;

import io.tallystick.model.Jsn;
import io.tallystick.model.TreeSize;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A head that the service signed, and that continues the log, lacks the cosignatures that this
/// client demands. The service may hide this head from its witnesses, or be cut off from them.
///
/// The head stays known: later heads must continue it. Nothing is sent again. A call that needs the
/// head asks for its cosignatures once more.
public final class HeadNotWitnessedException extends TallyException {
  private static final long serialVersionUID = 1;

  private final long size;
  private final long shownSize;
  private final int quorum;
  private final List<String> missing;
  private final long committedJsn;

  /// @param size of the head that is not witnessed
  /// @param shownSize of the head that the service gave as the newest cosigned one
  /// @param missing names of the witnesses without a cosignature under a head of `size` or more
  public HeadNotWitnessedException(
      TreeSize size, TreeSize shownSize, int quorum, List<String> missing) {
    this(size.value(), shownSize.value(), quorum, missing, -1);
  }

  private HeadNotWitnessedException(
      long size, long shownSize, int quorum, List<String> missing, long committedJsn) {
    super(
        String.format(
            Locale.ROOT,
            "the head of size %d needs %d cosignatures, the newest cosigned head has size %d; missing: %s%s",
            size,
            quorum,
            shownSize,
            String.join(", ", missing),
            committedJsn < 0 ? "" : "; committed at jsn " + committedJsn));
    this.size = size;
    this.shownSize = shownSize;
    this.quorum = quorum;
    this.missing = List.copyOf(missing);
    this.committedJsn = committedJsn;
  }

  /// The same as the outcome of an append whose first journal stands at `jsn`.
  public HeadNotWitnessedException committedAt(Jsn jsn) {
    HeadNotWitnessedException same =
        new HeadNotWitnessedException(size, shownSize, quorum, missing, jsn.value());
    same.initCause(this);
    return same;
  }

  /// The size of the head that is not witnessed, in leaves.
  public TreeSize size() {
    return new TreeSize(size);
  }

  /// The size of the head that the service gave as the newest cosigned one, in leaves.
  public TreeSize shownSize() {
    return new TreeSize(shownSize);
  }

  /// How many cosignatures were demanded.
  public int quorum() {
    return quorum;
  }

  /// Names of the witnesses that have not cosigned a head of {@link #size} or more, as far as the
  /// service shows.
  public List<String> missing() {
    return missing;
  }

  /// Present if an append failed so: its journals are in the log, the first of them here. Do not
  /// append them again; `LedgerHandle.receipt` gives their evidence once the head is witnessed.
  public Optional<Jsn> committedJsn() {
    return committedJsn < 0 ? Optional.empty() : Optional.of(new Jsn(committedJsn));
  }
}
