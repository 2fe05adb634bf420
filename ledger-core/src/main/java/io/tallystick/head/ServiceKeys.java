package io.tallystick.head;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Authority;
import io.tallystick.model.Jsn;
import io.tallystick.model.TreeSize;
import java.util.ArrayList;
import java.util.List;

/// The keys by which a service signs the heads of one ledger: those of its genesis, and those of
/// each rotation since. A head is judged by the keys valid for its signed size.
///
/// @param terms ascending; the first holds from the first size on
public record ServiceKeys(Authority authority, List<Term> terms) {
  /// One pair of keys, until the next term.
  ///
  /// @param above the largest size that the keys before it judge; 0 for the keys of genesis
  public record Term(TreeSize above, PublicKey noteKey, PublicKey receiptKey) {
    public Term {
      checkAlgorithm("note key", noteKey);
      checkAlgorithm("receipt key", receiptKey);
      if (noteKey.equals(receiptKey)) {
        throw new IllegalArgumentException("note key and receipt key are the same");
      }
    }

    boolean holds(PublicKey key) {
      return noteKey.equals(key) || receiptKey.equals(key);
    }
  }

  public ServiceKeys {
    terms = List.copyOf(terms);
    if (terms.isEmpty() || terms.getFirst().above().value() != 0) {
      throw new IllegalArgumentException("no service keys for the first size");
    }
    for (int i = 1; i < terms.size(); i++) {
      if (terms.get(i - 1).above().compareTo(terms.get(i).above()) >= 0) {
        throw new IllegalArgumentException("term " + i + " is not above the one before");
      }
    }
  }

  /// Keys that were never rotated.
  public ServiceKeys(Authority authority, PublicKey noteKey, PublicKey receiptKey) {
    this(authority, List.of(new Term(new TreeSize(0), noteKey, receiptKey)));
  }

  /// The same with the keys of a rotation. The head that its block leaves, of size `rotation` + 2,
  /// is the last that the present keys judge.
  ///
  /// @throws IllegalArgumentException if neither key changes, if a key that changes was a service
  ///   key before, or if there is a later rotation
  public ServiceKeys rotated(Jsn rotation, PublicKey newNoteKey, PublicKey newReceiptKey) {
    boolean noteChanges = !newNoteKey.equals(noteKey());
    boolean receiptChanges = !newReceiptKey.equals(receiptKey());
    if (!noteChanges && !receiptChanges) {
      throw new IllegalArgumentException("rotation " + rotation + " changes neither key");
    }
    if ((noteChanges && everHeld(newNoteKey)) || (receiptChanges && everHeld(newReceiptKey))) {
      throw new IllegalArgumentException(
          "rotation " + rotation + " to a key that was a service key before");
    }
    List<Term> more = new ArrayList<>(terms);
    more.add(new Term(new TreeSize(rotation.value() + 2), newNoteKey, newReceiptKey));
    return new ServiceKeys(authority, more);
  }

  /// Whether it is or was one of the service's keys.
  public boolean everHeld(PublicKey key) {
    return terms.stream().anyMatch(term -> term.holds(key));
  }

  /// The key of the newest checkpoints.
  public PublicKey noteKey() {
    return terms.getLast().noteKey();
  }

  /// The key of the newest receipts, and of requests of the service's own.
  public PublicKey receiptKey() {
    return terms.getLast().receiptKey();
  }

  /// The key of the checkpoint that states a tree of `size`.
  public PublicKey noteKey(TreeSize size) {
    return at(size).noteKey();
  }

  /// The key of the receipts under a tree of `size`.
  public PublicKey receiptKey(TreeSize size) {
    return at(size).receiptKey();
  }

  private Term at(TreeSize size) {
    for (int i = terms.size() - 1; i > 0; i--) {
      if (terms.get(i).above().compareTo(size) < 0) {
        return terms.get(i);
      }
    }
    return terms.getFirst();
  }

  private static void checkAlgorithm(String name, PublicKey key) {
    if (key.algorithm() != SignatureAlgorithm.ED25519) {
      throw new IllegalArgumentException(name + " is " + key.algorithm() + ", want ED25519");
    }
  }
}
