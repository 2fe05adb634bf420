package io.tallystick.node;

import java.util.List;

/// The members of a ledger after the first `asOfSize` leaves.
public record MembersView(long asOfSize, List<Member> members) {
  public MembersView {
    members = List.copyOf(members);
  }
}
