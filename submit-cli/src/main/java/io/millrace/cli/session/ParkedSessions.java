package io.millrace.cli.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.client.SessionClient;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.cli.invocation.Invocation;

/**
 * Does the same with all parked sessions of a queue, one after the other: after an interruption the
 * rest is left, and it can be repeated. One thread; blocks.
 */
final class ParkedSessions {
  private final Invocation invocation;
  private final SessionClient sessions;
  private final String queue;
  private int acted;
  private int skipped;

  ParkedSessions(Invocation invocation, SessionClient sessions, String queue) {
    this.invocation = invocation;
    this.sessions = sessions;
    this.queue = queue;
  }

  /**
   * What was done.
   *
   * @param action what
   * @param sessions with how many parked sessions
   * @param skipped those that were no longer parked, or whose slot was moving to another node
   */
  record ParkedOutcome(SessionAction action, int sessions, int skipped) {}

  /** Acts on all of them, and prints how many they were. */
  void act(SessionAction action, String reason) {
    SessionPages pages = new SessionPages(sessions, queue, SessionState.PARKED, null);
    String before;
    String next = null;
    do {
      // A read may end before the last session, after many without a parked one.
      before = next;
      next =
          pages.read(
              before,
              Integer.MAX_VALUE,
              page -> page.forEach(one -> act(command(action, one.key(), reason))));
    } while (next != null && !next.equals(before));
    SessionCommands.noteUnreached(invocation, pages.unreached());
    invocation.report(
        new ParkedOutcome(action, acted, skipped),
        "%s of %s: %s%s"
            .formatted(
                MessageText.counted(acted, "parked session"),
                queue,
                done(action),
                skipped == 0
                    ? ""
                    : "; %d skipped: no longer parked, or %s slot is moving"
                        .formatted(skipped, skipped == 1 ? "its" : "their")));
  }

  // What somebody has resumed since it was listed must not be ended.
  private static SessionCommand command(SessionAction action, String key, String reason) {
    return new SessionCommand(action, key, reason, SessionState.PARKED);
  }

  private void act(SessionCommand command) {
    try {
      sessions.actOnSession(queue, command);
      acted++;
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.UNKNOWN_SESSION && e.code() != ErrorCode.CONFLICT) {
        invocation.note(
            "note: done before: %s; repeat the command for the rest"
                .formatted(MessageText.counted(acted, "session")));
        throw e;
      }
      skipped++;
    }
  }

  private static String done(SessionAction action) {
    return switch (action) {
      case MOVE -> "delivered again";
      case CLOSE -> "closed";
      case DROP -> "deleted";
    };
  }
}
