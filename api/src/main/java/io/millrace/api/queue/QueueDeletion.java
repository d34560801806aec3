package io.millrace.api.queue;

import io.millrace.api.definition.DeletionMode;

/**
 * The deletion of a queue, as queue nodes and load balancers follow it.
 *
 * @param queue the queue's name
 * @param version the version of its definition that was in force: what began under a later one is
 *     not deleted
 * @param mode what becomes of the events that wait
 * @param done whether the queue is deleted; what a node that was away still holds of it is dropped
 */
public record QueueDeletion(String queue, int version, DeletionMode mode, boolean done) {
  /**
   * Whether the queue accepts nothing because of this deletion: not once it is done, nor if the
   * queue was created again since.
   *
   * @param inForce the version of its definition in force; 0 for none
   */
  public boolean closes(int inForce) {
    return !done && inForce <= version;
  }

  /** Whether its events are dropped; otherwise the workers go on until there are none. */
  public boolean discards() {
    return done || mode == DeletionMode.DISCARD;
  }

  /**
   * A queue node's part in a deletion: it accepts no more events of the queue.
   *
   * @param queue the queue's name
   * @param version the version of its definition that is deleted
   * @param removed whether the node holds nothing of that version any more
   */
  public record SegmentClosure(String queue, int version, boolean removed) {}
}
