package io.millrace.queuenode.store;

/** The state of an event; an acknowledged one has no row. */
public enum EventState {
  /** May be leased. */
  READY(0),
  /** Becomes ready when its delay has passed. */
  DELAYED(1),
  /** Leased by a worker. */
  LEASED(2),
  /** Dead letter; kept with its reason. */
  DEAD(3);

  private final int code;

  EventState(int code) {
    this.code = code;
  }

  /** The number in the table, which is never changed or reused. */
  public int code() {
    return code;
  }

  public static EventState of(int code) {
    for (EventState state : values()) {
      if (state.code == code) {
        return state;
      }
    }
    throw new IllegalArgumentException("there is no event state with the number " + code);
  }
}
