package io.tallystick.proxy.read;

import io.tallystick.node.LineageQuery;
import java.util.OptionalLong;

/// Which page of a clue's journals a caller asks for.
///
/// @param asOfBlock height of a block whose size takes the place of the query's `asOfSize`
public record LineageRequest(LineageQuery query, OptionalLong asOfBlock) {
  public LineageRequest(LineageQuery query) {
    this(query, OptionalLong.empty());
  }
}
