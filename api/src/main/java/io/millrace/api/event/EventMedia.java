package io.millrace.api.event;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;

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

  /** The header of a list of dead letters that continues, with the {@code before} of its rest. */
  public static final String NEXT_HEADER = "Millrace-Next";

  /** The query parameter with the delay of all events of a body without their own. */
  public static final String DELAY_PARAMETER = "delay";

  /** The query parameter with the priority of all events of a body without their own. */
  public static final String PRIORITY_PARAMETER = "priority";

  /** The highest priority; 0 is the lowest and the default. */
  public static final int HIGHEST_PRIORITY = 9;

  /**
   * The field of an envelope with the epoch of the slot of the event's key, as the sender knows it;
   * only for queues of sessions.
   */
  public static final String SLOT_EPOCH = "slotEpoch";

  private EventMedia() {}

  /**
   * One event as a producer writes it in the envelope form (media type {@link
   * EventMedia#ENVELOPES}).
   *
   * @param id the producer's id, at most 200 characters; null if the node is to derive one from the
   *     batch name
   * @param data any JSON value
   * @param attributes short texts that accompany the data; null for none
   * @param delay time from storing to the first delivery; null for none
   * @param priority 0 (the default) to 9; higher ones are delivered first; null for 0
   */
  public record EventDraft(
      String id, JsonNode data, Map<String, String> attributes, Duration delay, Integer priority) {
    /** An event without delay, of ordinary priority. */
    public EventDraft(String id, JsonNode data, Map<String, String> attributes) {
      this(id, data, attributes, null, null);
    }
  }
}
