package io.tallystick.proxy.rest;

import io.tallystick.master.witness.WitnessStatus;
import io.tallystick.master.witness.WitnessStatus.OfLedger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.health.contributor.Health;

/// The part of `/actuator/health` about witnesses. Source: `docs/operations.md`, "Witnesses".
final class WitnessHealth {
  private WitnessHealth() {}

  static Health of(Optional<WitnessStatus> status) {
    Health.Builder health = Health.up();
    if (status.isEmpty()) {
      return health.withDetail("witnessed", "no witness is configured").build();
    }
    Map<String, Object> ledgers = new LinkedHashMap<>();
    status.get().ledgers().forEach(each -> ledgers.put(each.ledger().hex(), details(each)));
    return health
        .withDetail("witnessed", summary(status.get()))
        .withDetail("ledgers", ledgers)
        .build();
  }

  private static String summary(WitnessStatus status) {
    if (status.contradictedCount() > 0) {
      return "read-only: " + status.contradictedCount() + " of " + status.ledgers().size();
    }
    boolean failing = status.ledgers().stream().anyMatch(each -> !each.failing().isEmpty());
    return failing ? "failing" : "yes";
  }

  private static Map<String, Object> details(OfLedger ledger) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("cosignedSize", ledger.cosignedSize());
    details.put("cosignatures", ledger.cosignatures());
    if (!ledger.failing().isEmpty()) {
      details.put("failing", ledger.failing());
    }
    ledger
        .contradiction()
        .ifPresent(seen -> {
          details.put("readOnly", seen.ahead() ? "witness is ahead" : "witness has another head");
          details.put("seenSize", seen.size());
          details.put("seenBy", seen.witness());
        });
    return details;
  }
}
