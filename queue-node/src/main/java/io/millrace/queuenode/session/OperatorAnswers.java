package io.millrace.queuenode.session;

import io.millrace.api.Pure;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.SessionActed;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionState;

/** Says what an operator's action on a session has done, and what is to happen first. */
@Pure
final class OperatorAnswers {
  private OperatorAnswers() {}

  /**
   * The answer.
   *
   * @param after null if the session is gone
   */
  static SessionActed of(SessionAction action, SessionView before, SessionView after) {
    return new SessionActed(
        "session "
            + before.key()
            + (action == SessionAction.MOVE ? moved(before, after) : ended(action, before, after)));
  }

  private static String moved(SessionView before, SessionView after) {
    if (before.state() == SessionState.PARKED) {
      return before.worker() == null
          ? " is no longer parked, and its event is delivered again"
          : " is no longer parked; its event is delivered again when its worker has given it back";
    }
    return before.worker() == null
        ? " has no worker; there is nothing to move"
        : " is being taken from worker %s, at the latest within its deadline"
            .formatted(worker(after));
  }

  private static String ended(SessionAction action, SessionView before, SessionView after) {
    if (before.state() == SessionState.COMPLETED) {
      return " had ended; its key is forgotten now";
    }
    boolean goesOn = after != null && after.state() != SessionState.COMPLETED;
    String does = action == SessionAction.CLOSE ? "closed" : "deleted";
    return goesOn
        ? " is %s as soon as worker %s has given it back, at the latest within its deadline"
            .formatted(does, worker(after))
        : " is " + does;
  }

  private static String worker(SessionView session) {
    return session.worker().toString().substring(0, 8);
  }
}
