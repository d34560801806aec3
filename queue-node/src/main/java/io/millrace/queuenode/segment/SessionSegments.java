package io.millrace.queuenode.segment;

import io.millrace.api.event.SendAnswer;
import io.millrace.queuenode.session.store.SessionStore.QueueFigures;
import io.millrace.queuenode.store.NewEvent;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The segments of queues of sessions, which have a store of their own. Thread-safe. */
public interface SessionSegments {
  /** For a node without queues of sessions. */
  SessionSegments NONE =
      new SessionSegments() {
        @Override
        public boolean ofSessions(String queue) {
          return false;
        }

        @Override
        public SendAnswer put(
            String queue, String batch, List<NewEvent> events, List<Long> epochs) {
          throw new IllegalStateException(queue + " has no sessions");
        }

        @Override
        public Map<String, QueueFigures> figures() {
          return Map.of();
        }

        @Override
        public Set<String> queues() {
          return Set.of();
        }

        @Override
        public boolean remove(String queue, int version, boolean discards) {
          return false;
        }
      };

  /** Whether the queue is known as one of sessions; never blocks. */
  boolean ofSessions(String queue);

  /**
   * Stores events, each for itself. Blocks until they are on disk.
   *
   * @param epochs of the slot of each event's key, as the sender knows it; 0 for unknown
   * @return with the events that were refused; if all are, with one code, that is thrown instead
   * @throws io.millrace.api.MillraceException if nothing of the request is stored, or UNAVAILABLE
   *     if that is unknown
   */
  SendAnswer put(String queue, String batch, List<NewEvent> events, List<Long> epochs);

  /** Figures of each queue; never blocks. */
  Map<String, QueueFigures> figures();

  /** The queues of which anything is stored; never blocks. */
  Set<String> queues();

  /**
   * Removes what is stored of a deleted queue, one step of it. Blocks on the store.
   *
   * @param discards whether unfinished events are removed too; otherwise nothing is removed while
   *     there are any
   * @return whether anything is left
   */
  boolean remove(String queue, int version, boolean discards);
}
