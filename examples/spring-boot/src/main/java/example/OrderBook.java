package example;

import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.state.StateWrite;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.failure.TallyException;
import java.util.List;
import org.springframework.stereotype.Component;

/// Orders and where they stand. Each change is a signed journal, and each answer was verified.
@Component
final class OrderBook {
  private final LedgerHandle ledger;

  OrderBook(LedgerHandle ledger) {
    this.ledger = ledger;
  }

  /// @throws TallyException if the order exists, or the service does not answer
  VerifiedReceipt place(String order, String content) throws TallyException {
    return ledger
        .state()
        .write(JournalDraft.text(content), List.of(StateWrite.put(order, "placed").ifAbsent()));
  }

  /// @throws TallyException if the order is not placed, or was shipped before
  VerifiedReceipt ship(String order) throws TallyException {
    return ledger.state().write(StateWrite.put(order, "shipped").ifValue("placed"));
  }

  String stateOf(String order) throws TallyException {
    return ledger.state().get(order).text().orElse("unknown");
  }
}
