package io.millrace.api.client;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.UUID;

/**
 * How a session worker works.
 *
 * @param queue whose sessions it takes
 * @param worker its id; null for a random one. No two processes may use the same
 * @param name shown to operators; null for none
 * @param job the job that it is an attempt of; null for a program outside
 * @param cap the most sessions, divided among the queue nodes, at least 1 each; null for as many as
 *     the queue allows
 * @param threads how many sessions are handled at the same time; 0 for the number of processors
 * @param maxBuffered the most events from one node that are not handled yet; 0 for 1,000. At most
 *     10,000 are asked for at once
 * @param patience the longest wait of a queue node for a first event; null for 10 s
 * @param leaveWithin how long {@link SessionConsumer#close} waits for events in work; null for 30 s
 * @param giveUpAfter how long a queue node may refuse or not answer the registration before the
 *     worker ends; null for ever
 * @param grace how long before a deadline handlers are told that a session is lost ({@link
 *     SessionHandler#onLost}), if they end their work within that time by themselves; at most a
 *     third of the deadline when the queue node does not answer. Sessions are given back when it
 *     has ended. Null or zero: they are told at the deadline, and the session is given back at once
 */
@RecordBuilder
public record SessionWorkerOptions(
    String queue,
    UUID worker,
    String name,
    String job,
    Integer cap,
    int threads,
    int maxBuffered,
    Duration patience,
    Duration leaveWithin,
    Duration giveUpAfter,
    Duration grace)
    implements SessionWorkerOptionsBuilder.With {
  public SessionWorkerOptions {
    if (queue == null || queue.isBlank()) {
      throw new IllegalArgumentException("name the queue whose sessions are to be taken");
    }
    if (cap != null && cap < 1) {
      throw new IllegalArgumentException("a worker takes at least one session, not " + cap);
    }
    worker = worker == null ? UUID.randomUUID() : worker;
    threads = threads <= 0 ? Runtime.getRuntime().availableProcessors() : threads;
    maxBuffered = maxBuffered <= 0 ? 1_000 : maxBuffered;
    patience = patience == null ? Duration.ofSeconds(10) : patience;
    leaveWithin = leaveWithin == null ? Duration.ofSeconds(30) : leaveWithin;
    grace = grace == null ? Duration.ZERO : grace;
  }

  /** The defaults. */
  public static SessionWorkerOptions of(String queue) {
    return new SessionWorkerOptions(queue, null, null, null, null, 0, 0, null, null, null, null);
  }
}
