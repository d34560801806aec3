package io.millrace.api.session;

/**
 * Ends a session worker, for an operator or its queue manager.
 *
 * @param ask whether it is only asked to give back its sessions and to end; otherwise it is retired
 *     at once, as if it were lost
 * @param reason recorded with it; null for none
 */
public record RetirementRequest(boolean ask, String reason) {
  /** Without a reason. */
  public RetirementRequest(boolean ask) {
    this(ask, null);
  }
}
