package io.tallystick.client.failure;

/// A clue has more journals, or larger ones, than one answer takes into memory. The service did
/// nothing wrong: `LedgerHandle.walkLineage` shows them page by page.
public final class LineageTooLongException extends TallyException {
  private static final long serialVersionUID = 1;

  public LineageTooLongException(String message) {
    super(message);
  }
}
