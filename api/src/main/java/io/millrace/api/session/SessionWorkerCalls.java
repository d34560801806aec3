package io.millrace.api.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What session workers say to a queue node, and what it answers. */
public final class SessionWorkerCalls {
  /** The most bytes of a snapshot as JSON text in UTF-8. */
  public static final int LARGEST_SNAPSHOT = 4 << 20;

  /** The most letters of the reason of a failure; more are cut off. */
  public static final int LONGEST_REASON = 1_000;

  private SessionWorkerCalls() {}

  /**
   * Registers a worker for the sessions of a queue (M-05, M-06); sent until it is answered.
   *
   * @param incarnation chosen by the process at its start: the same again is a repetition, another
   *     one ends the registration of the process before
   * @param cap the most sessions that it takes on this node; null for as many as the queue allows.
   *     It may be another one in a repetition; sessions above a lower one stay
   * @param name shown to operators; null for none
   * @param job the job that it is an attempt of; null for a program outside
   * @param change only a process that is registered: its cap is changed. One that has been retired
   *     is not employed again, as it would not know of it if the answer were lost
   */
  public record WorkerRegistration(
      UUID incarnation,
      Integer cap,
      String name,
      String job,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean change) {
    /** Of a process that may be unknown. */
    public WorkerRegistration(UUID incarnation, Integer cap, String name, String job) {
      this(incarnation, cap, name, job, false);
    }
  }

  /**
   * A worker's registration.
   *
   * @param outcome what it has come to
   * @param heartbeat how often it must be heard of; a poll counts
   * @param deadline how long after the beginning of its last answered call it may work on its
   *     sessions; after that, others may have them
   */
  public record WorkerRegistered(
      RegistrationOutcome outcome, Duration heartbeat, Duration deadline) {}

  /** What a registration has come to. */
  public enum RegistrationOutcome {
    /** It was unknown or retired, and is employed now. */
    EMPLOYED,
    /** The same process was registered already; nothing changes but its cap. */
    REPEATED,
    /** Another process of this worker was: its sessions are assigned again, to it or others. */
    REPLACED
  }

  /**
   * Reports results and asks for events; also a heartbeat.
   *
   * @param incarnation as registered
   * @param poll 1 for the first poll of the process, one more for each that was answered; a
   *     repetition gets the same events again
   * @param max the most events to deliver; 0 for none, as in a heartbeat
   * @param patience how long to wait for a first event; null or zero not to wait
   * @param results what has become of sessions since; null for nothing
   */
  public record SessionPoll(
      UUID incarnation, long poll, int max, Duration patience, List<SessionResult> results) {
    public SessionPoll {
      results = results == null ? List.of() : List.copyOf(results);
    }
  }

  /**
   * What has become of events of a session.
   *
   * @param key the session's key
   * @param number under which the worker has it
   * @param through the last event that is done, with all before it
   * @param kind what it says
   * @param snapshot for SNAPSHOT: the state after that event, from which a successor goes on; at
   *     most {@link #LARGEST_SNAPSHOT}
   * @param reason for FAILED; null if unknown. {@link #LONGEST_REASON} letters of it are kept
   */
  public record SessionResult(
      String key,
      SessionNumber number,
      long through,
      ResultKind kind,
      JsonNode snapshot,
      String reason) {}

  /** What a worker says of a session. */
  public enum ResultKind {
    /** The events are done. */
    ACKNOWLEDGED,
    /** The events are done, and need not be delivered again: the state after them is enclosed. */
    SNAPSHOT,
    /** The events are done, and no more are expected (M-11). */
    COMPLETED,
    /** The event after them failed. */
    FAILED,
    /** The events are done, and the worker gives the session back. */
    RELEASED
  }

  /** What a result has come to. */
  public enum ResultOutcome {
    /** As the worker says. */
    DONE,
    /**
     * Events were accepted that the completion does not cover, or another owner of the slot may
     * have accepted some: the session stays open, or is revoked.
     */
    CONTINUES,
    /** Another worker has the session: the result changes nothing. */
    STALE,
    /** There is no such session: it ended, or never began. */
    UNKNOWN
  }

  /** The outcome of one result, in the order of the results. */
  public record ResultAnswer(String key, SessionNumber number, ResultOutcome outcome) {}

  /**
   * Answers a poll.
   *
   * @param poll the number of the poll
   * @param answers one for each result
   * @param sessions sessions with events to work on; possibly none
   * @param revoked sessions that the worker is to give back, also those that it does not have; its
   *     work on them must end within the deadline of the call whose answer first listed them. At
   *     most 1000; of more, the next answer lists others, and that of a repeated poll the same
   * @param leave whether the worker is asked to give back its sessions and to end
   * @param heartbeat how often the worker must be heard of from now on; the definition may have
   *     changed since it registered
   * @param deadline how long after the beginning of this call it may work on its sessions
   */
  public record PollAnswered(
      long poll,
      List<ResultAnswer> answers,
      List<SessionDelivery> sessions,
      List<RevokedSession> revoked,
      boolean leave,
      Duration heartbeat,
      Duration deadline) {
    public PollAnswered {
      answers = answers == null ? List.of() : List.copyOf(answers);
      sessions = sessions == null ? List.of() : List.copyOf(sessions);
      revoked = revoked == null ? List.of() : List.copyOf(revoked);
    }
  }

  /** A session that is taken away. */
  public record RevokedSession(String key, SessionNumber number) {}

  /**
   * Events of one session, in order.
   *
   * @param key the session's key
   * @param number to be named in results
   * @param from the number of the first event that this worker gets under this number: 1, or one
   *     after the snapshot. An event with a number that the worker has had already is a repetition
   * @param snapshot the state before that event, as a predecessor reported it; null for none
   * @param replayed the last event that a predecessor had acknowledged; 0 for none
   * @param events consecutive
   */
  public record SessionDelivery(
      String key,
      SessionNumber number,
      long from,
      JsonNode snapshot,
      long replayed,
      List<SessionEvent> events) {}

  /**
   * One event of a session.
   *
   * @param n its place in the session, from 1
   * @param id its id
   * @param storedAt when it was accepted
   * @param attempt 1 for the first try, one more for each failure; 1 again once another event of
   *     the session has failed
   * @param attributes as sent; null for none
   * @param data as sent
   */
  public record SessionEvent(
      long n,
      String id,
      Instant storedAt,
      int attempt,
      Map<String, String> attributes,
      JsonNode data) {}
}
