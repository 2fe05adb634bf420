package io.tallystick.wire;

import io.tallystick.model.MalformedException;
import io.tallystick.node.ClueRead;
import io.tallystick.node.KeptRead;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.LogRead;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeRead;
import io.tallystick.node.OutsideRead;
import io.tallystick.node.PurgeRead;
import io.tallystick.node.StateRead;
import io.tallystick.node.TimeRead;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The table of questions and changes: the number of each, its form and that of its answer. A
/// number is never given again, and what has one never changes its form: a changed question is a
/// new one. Thread-safe.
final class NodeQuestions {
  static final NodeQuestions TABLE = new NodeQuestions();

  private final Map<Integer, Row> byNumber = new TreeMap<>();
  private final Map<Class<?>, Row> byClass = new HashMap<>();

  /// One question or change.
  record Row(int number, RecordValue question, WireValue answer) {
    boolean isChange() {
      return NodeChange.class.isAssignableFrom(question.type());
    }

    /// Whether it is the head of another ledger, which strangers may bring.
    boolean isSubmission() {
      return question.type() == NodeChange.SubmitHead.class;
    }
  }

  private NodeQuestions() {
    WireValues values = new WireValues();
    add(values, 1, LedgerRead.Ledger.class, LedgerRead.NotDeleted.class, LedgerRead.Ledgers.class);
    add(values, 4, LedgerRead.Count.class, LedgerRead.Members.class, LedgerRead.Keys.class);
    add(values, 7, LedgerRead.Chain.class, LedgerRead.IsPublic.class, LedgerRead.FindMember.class);
    add(values, 10, LedgerRead.Possible.class, LedgerRead.FindSigner.class);
    add(values, 12, LedgerRead.Founded.class, LedgerRead.NewestFrame.class);
    add(values, 20, LogRead.Journal.class, LogRead.Proven.class, LogRead.NewestSize.class);
    add(values, 23, LogRead.Bundle.class, LogRead.RangeReceipt.class, LogRead.Receipt.class);
    add(values, 26, LogRead.Inclusion.class, LogRead.Consistency.class, LogRead.Tile.class);
    add(values, 29, LogRead.BlockAt.class, LogRead.NewestBlock.class, LogRead.BlockOf.class);
    add(values, 32, LogRead.Checkpoint.class, LogRead.Erased.class, LogRead.Certificate.class);
    add(values, 50, ClueRead.Clue.class, ClueRead.Lineage.class, ClueRead.Membership.class);
    add(values, 60, StateRead.Key.class, StateRead.Keys.class, StateRead.Page.class);
    add(values, 63, StateRead.History.class);
    add(values, 70, TimeRead.Unanchored.class, TimeRead.Newest.class, TimeRead.LastAt.class);
    add(values, 73, TimeRead.Stamped.class);
    add(values, 80, KeptRead.Proposal.class, KeptRead.Proposals.class, KeptRead.Submitting.class);
    add(values, 83, KeptRead.OpenCount.class, KeptRead.NearestAnchor.class);
    add(values, 85, KeptRead.Certificates.class);
    add(values, 90, PurgeRead.PseudoGenesis.class, PurgeRead.Window.class, PurgeRead.Clues.class);
    add(values, 93, PurgeRead.State.class);
    add(values, 100, OutsideRead.WantedTimes.class);
    add(values, 102, OutsideRead.Cosigned.class, OutsideRead.Marks.class);
    add(values, 104, OutsideRead.MarkedCount.class, OutsideRead.WhyNoTime.class);
    add(values, 128, NodeChange.Found.class);
    add(values, 130, NodeChange.AppendTime.class, NodeChange.ReplaceProposal.class);
    add(values, 132, NodeChange.RemoveProposal.class, NodeChange.DropGoneProposals.class);
    add(values, 134, NodeChange.KeepAnchor.class, NodeChange.ShowCertificates.class);
    add(values, 136, NodeChange.EraseCertificates.class, NodeChange.DropExpiredCertificates.class);
    add(values, 138, NodeChange.PrepareSnapshot.class, NodeChange.MakeReadOnly.class);
    add(values, 140, NodeChange.LiftReadOnly.class, NodeChange.WantTime.class);
    add(values, 143, NodeChange.ShowCosigned.class, NodeChange.SubmitHead.class);
    add(values, 145, NodeChange.NoTime.class);
    Stream.concat(records(NodeRead.class), records(NodeChange.class))
        .filter(each -> !byClass.containsKey(each))
        .findAny()
        .ifPresent(each -> {
          throw new AssertionError("no number for " + each);
        });
  }

  private static Stream<Class<?>> records(Class<?> family) {
    return Stream.of(family.getPermittedSubclasses())
        .flatMap(each -> each.isSealed() ? records(each) : Stream.of(each));
  }

  private void add(WireValues values, int first, Class<?>... questions) {
    for (int i = 0; i < questions.length; i++) {
      Class<?> question = questions[i];
      ParameterizedType family = (ParameterizedType) question.getGenericInterfaces()[0];
      Type answer = family.getActualTypeArguments()[0];
      Row row = new Row(first + i, (RecordValue) values.of(question), values.of(answer));
      if (byNumber.put(row.number, row) != null || byClass.put(question, row) != null) {
        throw new AssertionError("twice in the table: " + row.number + " " + question);
      }
    }
  }

  Row of(Object question) {
    Row row = byClass.get(question.getClass());
    if (row == null) {
      throw new AssertionError("no row for " + question.getClass());
    }
    return row;
  }

  /// @throws MalformedException if there is none
  Row numbered(int number) throws MalformedException {
    Row row = byNumber.get(number);
    if (row == null) {
      throw new MalformedException("question " + number + " is not known here");
    }
    return row;
  }

  /// One line a row.
  String shape() {
    return byNumber.values().stream()
        .map(row ->
            String.format(
                Locale.ROOT, "%d %s -> %s%n", row.number, row.question.shape(), row.answer.shape()))
        .collect(Collectors.joining());
  }

  List<Row> rows() {
    return List.copyOf(byNumber.values());
  }
}
