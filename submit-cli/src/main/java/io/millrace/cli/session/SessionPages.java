package io.millrace.cli.session;

import io.millrace.api.client.ApiClient.Listing;
import io.millrace.api.client.SessionClient;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.SessionState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;

/** Reads the sessions of a queue page by page. One thread; blocks. */
final class SessionPages {
  private static final int PAGE = 200;

  /** Pages without a session, one after another, before a list ends. */
  private static final int MAX_EMPTY = 100;

  private final SessionClient sessions;
  private final String queue;
  private final SessionState state;
  private final UUID worker;
  private final Set<String> unreached = new TreeSet<>();

  /**
   * Nothing read yet.
   *
   * @param state only those in this state; null for any but completed
   * @param worker only those of this worker; null for any
   */
  SessionPages(SessionClient sessions, String queue, SessionState state, UUID worker) {
    this.sessions = sessions;
    this.queue = queue;
    this.state = state;
    this.worker = worker;
  }

  /**
   * Reads sessions.
   *
   * @param after where to begin; null for at the first one
   * @param most how many at most
   * @param each gets the sessions of each page
   * @return where to continue; null if there are no more
   */
  String read(String after, int most, Consumer<List<SessionView>> each) {
    Set<String> read = new HashSet<>();
    String next = after;
    int found = 0;
    int empty = 0;
    read.add(next);
    do {
      Listing<SessionView> page =
          sessions.sessions(queue, state, worker, next, Math.min(PAGE, most - found));
      each.accept(page.found());
      found += page.found().size();
      unreached.addAll(page.unreached());
      next = page.next();
      // A page may be empty, as a server looks at some sessions only before it answers.
      empty = page.found().isEmpty() ? empty + 1 : 0;
    } while (next != null && found < most && empty < MAX_EMPTY && read.add(next));
    return next;
  }

  /** Queue nodes that did not answer so far. */
  Set<String> unreached() {
    return unreached;
  }
}
