package io.millrace.tests.drill.session;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;

/**
 * What a worker of the drill knows of a session; its snapshot.
 *
 * @param through the last event that it has handled
 * @param last whether one of them was the last one of its producer
 */
record KeyState(long through, boolean last) {
  /** The field of an event's data that says that its producer sends no more. */
  static final String LAST = "last";

  private static final String THROUGH = "through";

  /** Before the first event. */
  static final KeyState NEW = new KeyState(0, false);

  static KeyState of(JsonNode snapshot) {
    return snapshot == null || snapshot.isNull()
        ? NEW
        : new KeyState(snapshot.get(THROUGH).asLong(), snapshot.get(LAST).asBoolean());
  }

  JsonNode json() {
    return JsonNodeFactory.instance.objectNode().put(THROUGH, through).put(LAST, last);
  }

  /** After an event. */
  KeyState after(SessionEvent event) {
    return new KeyState(event.n(), last || event.data().path(LAST).asBoolean());
  }
}
