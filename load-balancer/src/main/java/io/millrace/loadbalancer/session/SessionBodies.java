package io.millrace.loadbalancer.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionText;
import io.millrace.loadbalancer.forward.Batch;
import io.millrace.platform.event.EventBodies;
import io.millrace.platform.event.EventDefaults;
import io.millrace.platform.event.SentEvent;
import java.util.ArrayList;
import java.util.List;

/** Reads the events of a body with their ids, keys and slots. Stateless. */
final class SessionBodies {
  private SessionBodies() {}

  /**
   * The events of a body that have a key; those without one, or with texts that cannot be stored,
   * are refused.
   *
   * @param first the place of the body's first event in what the producer sends
   * @throws MillraceException if the body as a whole is refused
   */
  static ReadBody read(Batch batch, long first, SessionKey keys) {
    requirePlain(batch.queue(), batch.query().isEmpty());
    List<SentEvent> sent =
        EventBodies.read(
            batch.mediaType(), batch.body(), new EventDefaults(batch.name(), 0, 0, first));
    List<RoutedEvent> events = new ArrayList<>(sent.size());
    List<RefusedEvent> refused = new ArrayList<>();
    for (int i = 0; i < sent.size(); i++) {
      SentEvent event = sent.get(i);
      requirePlain(batch.queue(), event.delayMillis() == 0 && event.priority() == 0);
      int index = Math.toIntExact(first + i);
      String key = null;
      try {
        key = keys.of(event.attributes(), event.data());
        SessionText.requirePlain("the event's id", event.id());
        events.add(new RoutedEvent(index, event, key, SessionKey.slot(key)));
      } catch (MillraceException refusal) {
        refused.add(new RefusedEvent(index, event.id(), key, refusal.code(), refusal.getMessage()));
      }
    }
    return new ReadBody(events, refused);
  }

  private static void requirePlain(String queue, boolean plain) {
    if (!plain) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "queue '"
              + queue
              + "' keeps the events of a key in order, so that they have no delay and no priority;"
              + " send them without. Nothing of the batch was stored");
    }
  }

  /**
   * The events of a body.
   *
   * @param events that have a key, in order
   * @param refused the others
   */
  record ReadBody(List<RoutedEvent> events, List<RefusedEvent> refused) {
    int size() {
      return events.size() + refused.size();
    }
  }
}
