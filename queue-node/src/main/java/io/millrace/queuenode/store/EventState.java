package io.millrace.queuenode.store;

/** Where an event is in its life; an acknowledged one has no row any more. */
public enum EventState {
  /** May be leased. */
  READY(0),
  /** Becomes ready when its delay has passed. */
  DELAYED(1),
  /** In the hands of a worker. */
  LEASED(2),
  /** Given up; kept with its reason. */
  DEAD(3);

  private final int code;

  EventState(int code) {
    this.code = code;
  }

  /** The number in the table; never changed or reused. */
  public int code() {
    return code;
  }

  public static EventState of(int code) {
    for (EventState state : values()) {
      if (state.code == code) {
        return state;
      }
    }
    throw new IllegalArgumentException("no event state has the number " + code);
  }
}
