package io.millrace.tests.drill.network;

/**
 * How a link fails. Data held by a stalled direction is delivered when the link is healed, as TCP
 * does.
 */
public enum LinkFailure {
  /** Nothing arrives at the server: requests are not received. */
  TO_SERVER(true, false),
  /** Nothing arrives at the client: requests are executed but not answered. */
  TO_CLIENT(false, true),
  /** Nothing passes. */
  BOTH(true, true),
  /** Open connections are reset and new ones refused. */
  REFUSED(false, false);

  private final boolean toServer;
  private final boolean toClient;

  LinkFailure(boolean toServer, boolean toClient) {
    this.toServer = toServer;
    this.toClient = toClient;
  }

  boolean stalls(Direction direction) {
    return direction == Direction.TO_SERVER ? toServer : toClient;
  }
}
