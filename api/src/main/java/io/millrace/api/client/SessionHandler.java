package io.millrace.api.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import java.time.Duration;

/**
 * What a program does with the events of its sessions (M-10, M-11). All methods but {@link #onLost}
 * and {@link #onProblem} are called for one key one after the other, for different keys at the same
 * time, and may block.
 *
 * @param <S> what the program keeps of one session
 */
public interface SessionHandler<S> {
  /**
   * The state with which a session begins here, before its first event.
   *
   * @param snapshot the last one that this or another worker reported; null for none. The events
   *     after it come again
   * @throws Exception any failure is charged to the session's first event
   */
  @SuppressWarnings("checkstyle:IllegalThrows") // a program may fail in any way
  S open(String key, JsonNode snapshot) throws Exception;

  /**
   * Handles an event, which is done when this returns, unless {@link OpenSession#fail} was called.
   *
   * @throws Exception the event has failed, with its text as the reason; the state is dropped and
   *     the session given back, so that whoever gets it begins with the last snapshot
   */
  @SuppressWarnings("checkstyle:IllegalThrows") // a program may fail in any way
  void onEvent(OpenSession<S> session, SessionEvent event) throws Exception;

  /**
   * The session is no longer this worker's, or was revoked and the deadline for giving it back has
   * passed; nothing that it reports counts, and another worker may get it soon. Called by another
   * thread, also while {@link #onEvent} or {@link #onClose} is running, which should end early;
   * must not block.
   */
  default void onLost(S state) {}

  /**
   * The same, with a time: called the {@link SessionWorkerOptions#grace} before the deadline, if
   * there is one, and the work must have ended when that time has passed.
   *
   * @param left until other workers may have the session; zero if they may already
   */
  default void onLost(S state, Duration left) {
    onLost(state);
  }

  /**
   * The session has ended for this worker: completed, lost, or about to be given back, which
   * happens after this has returned, at the latest at the deadline if there is no {@link
   * SessionWorkerOptions#grace}.
   */
  default void onClose(S state) {}

  /**
   * A queue node did not answer or refused; the worker tries again, but for the result of a session
   * that the node refuses as it is: that session is given back instead. Any thread.
   */
  default void onProblem(String node, MillraceException problem) {}

  /**
   * A session as its handler sees it. Thread-safe.
   *
   * @param <S> what the program keeps of one session
   */
  interface OpenSession<S> {
    /** What its events have in common. */
    String key();

    /** Of its assignment to this worker: to be passed on to what must refuse former workers. */
    SessionNumber number();

    /** What the program keeps of it. */
    S state();

    /** Keeps something else of it. */
    void replace(S state);

    /** Whether an earlier worker had acknowledged the event, and it only rebuilds the state. */
    boolean isReplayed(SessionEvent event);

    /** Whether it is still this worker's, as far as is known here. */
    boolean isCurrent();

    /**
     * Reports the event in work as done, with all before it, already before the handler returns; a
     * failure after that is not charged to it.
     */
    void acknowledge();

    /**
     * Reports the state after the event in work, from which a successor goes on; events up to this
     * one are not delivered again. It counts if the event does not fail.
     *
     * @param state is written as JSON at once
     * @throws IllegalArgumentException if it is larger than {@link
     *     SessionWorkerCalls#LARGEST_SNAPSHOT}
     */
    void snapshot(Object state);

    /**
     * No events are expected after the one in work. If some were accepted, the session goes on.
     * Counts if the event does not fail.
     */
    void complete();

    /**
     * No events are expected after that one, which is done, with all before it; also for use when
     * none is in work. If some were accepted, the session goes on.
     */
    void completeThrough(long n);

    /**
     * The event in work has failed and is delivered again, or is given up as the queue's definition
     * says; unlike after an exception the state is kept.
     */
    void fail(String reason);

    /**
     * The session is given back when the handler returns, and whoever gets it begins with the last
     * snapshot. The event in work is not done, which is its fault only if {@link #fail} was called
     * as well.
     */
    void giveBack();
  }
}
