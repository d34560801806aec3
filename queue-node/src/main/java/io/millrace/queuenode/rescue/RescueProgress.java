package io.millrace.queuenode.rescue;

/** Hears how far a rescue is. */
public interface RescueProgress {
  /**
   * One more batch of a queue was taken by the cluster.
   *
   * @param sent events of the queue so far
   * @param found events of the queue at the beginning
   */
  void sent(String queue, long sent, long found);
}
