package io.tallystick.server.index;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import io.tallystick.server.Member;
import io.tallystick.server.world.LedgerState;
import io.tallystick.server.world.MemberTable;
import io.tallystick.server.world.WorldRows;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Reads world state back as the last savepoint left it.
public final class SavedWorld {
  private SavedWorld() {}

  /// All ledgers of the shard, ascending.
  public static List<LedgerState> ledgers(MetaStore meta)
      throws IOException, CorruptStreamException {
    List<LedgerState> ledgers = new ArrayList<>();
    List<MalformedException> damage = new ArrayList<>();
    meta.scan(
        WorldRows.LEDGERS,
        null,
        (_, value) -> {
          try {
            ledgers.add(WorldRows.decodeLedger(value));
          } catch (MalformedException e) {
            damage.add(e);
          }
          return damage.isEmpty();
        });
    refuse(damage, "ledger rows");
    return ledgers;
  }

  /// A ledger's members; genesis' owners if it was never saved.
  public static MemberTable members(MetaStore meta, LedgerState ledger)
      throws IOException, CorruptStreamException {
    List<Member> members = new ArrayList<>();
    List<MalformedException> damage = new ArrayList<>();
    meta.scan(
        WorldRows.memberPrefix(ledger.id()),
        null,
        (_, value) -> {
          try {
            members.add(WorldRows.decodeMember(value));
          } catch (MalformedException e) {
            damage.add(e);
          }
          return damage.isEmpty();
        });
    refuse(damage, "member rows of " + ledger.id());
    return members.isEmpty()
        ? MemberTable.ofGenesis(ledger.params())
        : MemberTable.of(ledger.params(), members);
  }

  static void putOwners(MetaBatch batch, LedgerState ledger) {
    for (PublicKey owner : ledger.params().owners()) {
      Member member = new Member(owner, Role.OWNER, 0, Member.NEVER);
      batch.put(WorldRows.memberKey(ledger.id(), owner.kid()), WorldRows.encode(member));
    }
  }

  private static void refuse(List<MalformedException> damage, String where)
      throws CorruptStreamException {
    if (!damage.isEmpty()) {
      throw new CorruptStreamException(where, 0, String.valueOf(damage.getFirst().getMessage()));
    }
  }
}
