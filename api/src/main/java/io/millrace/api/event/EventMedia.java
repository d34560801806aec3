package io.millrace.api.event;

/** The media types and headers of event bodies. */
public final class EventMedia {
  /** One event, or an array of events: each element is the event's data. */
  public static final String JSON = "application/json";

  /** One event's data on each line. */
  public static final String LINES = "application/x-ndjson";

  /** One {@link EventDraft} on each line: data with the producer's id and attributes. */
  public static final String ENVELOPES = "application/vnd.millrace.events+x-ndjson";

  /**
   * The header that names a batch; sent again with the same name within ten minutes, a batch is
   * stored once. At most 100 characters.
   */
  public static final String BATCH_HEADER = "Millrace-Batch";

  /** The query parameter with the delay of all events of a body that have none of their own. */
  public static final String DELAY_PARAMETER = "delay";

  /** The query parameter with the priority of all events of a body that have none of their own. */
  public static final String PRIORITY_PARAMETER = "priority";

  /** The highest priority; 0 is the lowest and the default. */
  public static final int HIGHEST_PRIORITY = 9;

  private EventMedia() {}
}
