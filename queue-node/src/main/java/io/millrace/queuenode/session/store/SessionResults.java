package io.millrace.queuenode.session.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.session.SessionDefinition.DeadEventPolicy;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionWorkerCalls;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.queuenode.session.store.QueueSessions.Figure;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import java.util.List;

/** Notes what workers report of sessions (M-11). One thread. */
final class SessionResults {
  // It is kept in memory, and moves with the slot.
  private static final int REASON = SessionWorkerCalls.LONGEST_REASON;

  private final SessionChanges changes;
  private final RememberedKeys keys;
  private final Assigning assigning;

  SessionResults(SessionChanges changes, RememberedKeys keys, Assigning assigning) {
    this.changes = changes;
    this.keys = keys;
    this.assigning = assigning;
  }

  /**
   * Refuses results that cannot be true, before anything is changed.
   *
   * @throws MillraceException INVALID_REQUEST for events that were never accepted, or a result
   *     without what its kind needs
   */
  static void check(QueueSessions queue, SessionWorker worker, List<SessionResult> results) {
    for (SessionResult result : results) {
      if (result.key() == null || result.kind() == null || result.number() == null) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST, "a result names its session's key and number, and its kind");
      }
      Session session = session(queue, result.key());
      boolean present =
          session != null && session.worker() == worker && session.hasNumber(result.number());
      if (present && (result.through() < 0 || result.through() > session.accepted())) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            "the session '%s' has %d events, but a result is about event %d"
                .formatted(result.key(), session.accepted(), result.through()));
      }
    }
  }

  private static Session session(QueueSessions queue, String key) {
    SlotSessions slot = queue.slot(SessionKey.slot(key));
    return slot == null ? null : slot.sessions().get(key);
  }

  /**
   * Notes one result of an employed worker.
   *
   * @param counts whether a failure is counted, as it was not before
   */
  ResultOutcome note(
      QueueSessions queue,
      SessionWorker worker,
      SessionResult result,
      DeliveryRules rules,
      boolean counts,
      Wakes wakes) {
    Session session = session(queue, result.key());
    if (session == null) {
      return ended(queue, result);
    }
    if (session.worker() != worker || !session.hasNumber(result.number())) {
      changes.count(queue, Figure.STALE, 1);
      return ResultOutcome.STALE;
    }
    changes.progress(session, Math.min(result.through(), session.accepted()));
    changes.noteProgress(session, changes.nanos());
    return done(session, worker, result, rules, counts, wakes);
  }

  // A completion that was answered, but whose answer was lost, is confirmed again.
  private ResultOutcome ended(QueueSessions queue, SessionResult result) {
    SlotSessions slot = queue.slot(SessionKey.slot(result.key()));
    boolean confirmed =
        slot != null
            && result.kind() == ResultKind.COMPLETED
            && keys.find(slot, result.key())
                .filter(row -> row.number().equals(result.number()))
                .isPresent();
    return confirmed ? ResultOutcome.DONE : ResultOutcome.UNKNOWN;
  }

  private ResultOutcome done(
      Session session,
      SessionWorker worker,
      SessionResult result,
      DeliveryRules rules,
      boolean counts,
      Wakes wakes) {
    switch (result.kind()) {
      case ACKNOWLEDGED -> {}
      case SNAPSHOT -> {
        boolean covers = result.through() > session.covered();
        if (covers && result.snapshot() != null) {
          changes.cover(session, result.through(), Json.writeBytes(result.snapshot()));
        }
      }
      case COMPLETED -> {
        if (result.through() < session.accepted()) {
          return ResultOutcome.CONTINUES;
        }
        if (session.slot().blocked() && mayGoOn(session)) {
          // Another owner may have accepted further events of it: nothing is promised.
          keys.end(session, SessionEnding.COMPLETED, wakes);
          return ResultOutcome.CONTINUES;
        }
        keys.end(session, SessionEnding.COMPLETED.name(), worker, changes.now());
        assigning.replace(session.queue(), worker, wakes);
      }
      case FAILED -> {
        if (counts) {
          failed(session, result, rules, wakes);
        } else {
          changes.rewind(session, session.done());
        }
      }
      case RELEASED -> {
        changes.takeBack(session, false, whyReleased(session));
        keys.endIfDue(session);
      }
    }
    return ResultOutcome.DONE;
  }

  private static boolean mayGoOn(Session session) {
    return session.ending() == null || session.ending().keptOpenByEvents();
  }

  private static String whyReleased(Session session) {
    if (session.ending() != null) {
      return "it ends";
    }
    if (session.parked() != null) {
      return "it is parked";
    }
    if (session.slot().sealed()) {
      return "its slot moves to another node";
    }
    return session.revokedFor() == null
        ? session.worker().whyItLeaves("its worker returned it")
        : session.revokedFor();
  }

  private void failed(Session session, SessionResult result, DeliveryRules rules, Wakes wakes) {
    boolean over = session.parked() != null || session.ending() != null;
    if (over || result.through() >= session.accepted() || result.through() < session.done()) {
      return;
    }
    changes.count(session.queue(), Figure.FAILED, 1);
    long event = result.through() + 1;
    int failures = session.attempts(event) + 1;
    changes.setAttempts(session, event, failures);
    if (failures < rules.maxAttempts()) {
      changes.rewind(session, session.done());
      return;
    }
    String reason =
        "event %d failed %s%s"
            .formatted(
                event,
                MessageText.counted(failures, "time"),
                result.reason() == null ? "" : ": " + ShownText.of(result.reason(), REASON));
    DeadEventPolicy policy = rules.sessions().onDead();
    switch (policy) {
      case PARK -> {
        // Its worker still has a state of it, and gives it back.
        changes.park(session, reason);
        if (!session.movedAlone()) {
          changes.revoke(session, SessionPolls.PARKED);
        }
        changes.history().note(session, changes.now(), "PARKED", null, reason);
      }
      case SKIP -> {
        changes.count(session.queue(), Figure.SKIPPED, 1);
        changes.progress(session, event);
        changes.rewind(session, session.done());
      }
      case CLOSE -> keys.end(session, SessionEnding.FAILED, wakes);
    }
  }
}
