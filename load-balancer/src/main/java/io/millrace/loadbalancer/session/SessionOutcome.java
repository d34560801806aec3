package io.millrace.loadbalancer.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What has become of the events of one request so far. Used by one thread. */
final class SessionOutcome {
  // Refusals that another attempt does not change, and that say nothing about other keys.
  private static final Set<ErrorCode> OF_THE_EVENT =
      EnumSet.of(ErrorCode.INVALID_REQUEST, ErrorCode.DUPLICATE, ErrorCode.BODY_TOO_LARGE);

  private final String queue;
  private final String batch;
  private final Set<String> nodes = new TreeSet<>();
  private final List<RefusedEvent> refused = new ArrayList<>();
  private final Map<String, RefusedEvent> refusedKeys = new HashMap<>();
  private final Map<ErrorCode, Integer> codes = new EnumMap<>(ErrorCode.class);
  private int accepted;
  private boolean repeated = true;

  SessionOutcome(String queue, String batch) {
    this.queue = queue;
    this.batch = batch;
  }

  /** A node stored events, or had stored them before. */
  void stored(String node, int events, boolean before) {
    accepted += events;
    repeated &= before;
    nodes.add(node);
  }

  /** An event is refused, and with it those of its key that come later. */
  void refuse(RefusedEvent event) {
    refused.add(event);
    codes.merge(event.code(), 1, Integer::sum);
    if (event.key() != null) {
      refusedKeys.merge(
          event.key(), event, (one, other) -> one.index() < other.index() ? one : other);
    }
  }

  /** The refusal of an event of a key that comes before a place, and is that of all later ones. */
  Optional<RefusedEvent> refusalBefore(int index, String key) {
    return Optional.ofNullable(refusedKeys.get(key)).filter(event -> event.index() < index);
  }

  String queue() {
    return queue;
  }

  int accepted() {
    return accepted;
  }

  int refused() {
    return refused.size();
  }

  /** The first refusal that another attempt may change; empty if there is none. */
  Optional<RefusedEvent> passing() {
    return sorted().stream().filter(event -> !OF_THE_EVENT.contains(event.code())).findFirst();
  }

  /** The last refusal; empty if there is none. */
  Optional<RefusedEvent> last() {
    return refused.stream().reduce((one, other) -> other);
  }

  /** Refused events by code. */
  Map<ErrorCode, Integer> codes() {
    return codes;
  }

  /**
   * The answer for the producer.
   *
   * @throws MillraceException if all events are refused for one reason
   */
  SendAnswer answer() {
    if (accepted == 0 && codes.size() == 1) {
      RefusedEvent first = sorted().get(0);
      throw new MillraceException(
          first.code(),
          refused.size() == 1
              ? "event " + first.id() + ": " + first.message()
              : "all %d events are refused; the first one, %s: %s"
                  .formatted(refused.size(), first.id(), first.message()));
    }
    return new SendAnswer(
        queue, batch, accepted, accepted > 0 && repeated, String.join(",", nodes), sorted());
  }

  private List<RefusedEvent> sorted() {
    return refused.stream().sorted(Comparator.comparingInt(RefusedEvent::index)).toList();
  }
}
