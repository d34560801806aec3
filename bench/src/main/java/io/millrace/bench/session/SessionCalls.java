package io.millrace.bench.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * What a benchmark asks of a queue of sessions. Thread-safe; a call blocks until it is answered. An
 * {@link IOException} says that its outcome is unknown.
 */
interface SessionCalls {
  /** Puts events; a refusal is an answer. */
  PutOutcome put(String batch, String mediaType, byte[] lines) throws IOException;

  /** Registers a worker; a refusal is a {@link io.millrace.api.MillraceException}. */
  void register(UUID worker, UUID incarnation, Integer cap, String name) throws IOException;

  /** Reports and fetches; a refusal is a {@link io.millrace.api.MillraceException}. */
  PollOutcome poll(UUID worker, SessionPoll poll) throws IOException;

  /**
   * What a put has come to.
   *
   * @param stored how many events are stored, now or before
   * @param repeated whether all of them were stored before
   * @param refused those that are not
   * @param wholly why the request was refused as a whole; null if it was not
   * @param retryAfter when to send it again
   */
  record PutOutcome(
      int stored,
      boolean repeated,
      List<RefusedEvent> refused,
      ErrorCode wholly,
      Duration retryAfter) {}

  /** The answer of a poll. */
  record PollOutcome(
      List<ResultAnswer> answers, List<DeliveredSession> sessions, List<RevokedSession> revoked) {}

  /**
   * Events of one session.
   *
   * @param from the first event that this worker gets under this number
   */
  record DeliveredSession(
      String key, SessionNumber number, long from, List<DeliveredEvent> events) {}

  /**
   * An event of a session.
   *
   * @param n its place, as the node says
   * @param place its place, as the producer wrote it into the data; 0 if it did not
   */
  record DeliveredEvent(long n, String id, long place) {}
}
