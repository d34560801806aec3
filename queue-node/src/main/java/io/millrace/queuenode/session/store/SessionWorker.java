package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.queuenode.session.store.SessionList.Kind;
import io.millrace.queuenode.store.UndoList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * A worker that sessions are assigned to (M-05..M-07, M-12, M-16). When it was heard of and what
 * was delivered to it is forgotten with the process; the rest is in the log. One thread; changes
 * can be undone, except that it was heard of.
 */
final class SessionWorker {
  /**
   * Who a worker is.
   *
   * @param id its own
   * @param incarnation of its process
   * @param cap the most sessions that it takes; {@link Integer#MAX_VALUE} for as many as it may
   * @param name null for none
   * @param job null for a program outside
   */
  record Employment(UUID id, UUID incarnation, int cap, String name, String job) {
    private Employment withCap(int changed) {
      return new Employment(id, incarnation, changed, name, job);
    }
  }

  /**
   * What an answer brought, for its repetition.
   *
   * @param number its own; -1 for none that is known
   * @param request that got it; {@link #OF_SEVERAL} if others have asked for the same answer
   * @param told revoked sessions that it listed
   */
  record LastAnswer(long number, long request, List<HandedOver> delivered, List<Session> told) {
    static final long OF_SEVERAL = -1;
    static final LastAnswer FIRST = new LastAnswer(0, 0, List.of(), List.of());
    static final LastAnswer UNKNOWN = new LastAnswer(-1, 0, List.of(), List.of());
  }

  /**
   * What has become of the results of the worker's last poll; what went to its stream since is
   * none.
   *
   * @param poll its number, as the worker counts its polls; 0 for none that is known
   * @param outcomes of its results, which a repetition of the poll brings again
   */
  record LastReport(long poll, List<ResultOutcome> outcomes) {
    static final LastReport NONE = new LastReport(0, List.of());

    static LastReport of(long poll, List<ResultOutcome> outcomes) {
      // Nearly always all are the same: each worker keeps those of its last poll.
      boolean same = Set.copyOf(outcomes).size() == 1;
      return new LastReport(
          poll,
          same ? Collections.nCopies(outcomes.size(), outcomes.get(0)) : List.copyOf(outcomes));
    }

    /** The answers to a poll that is this one, or one that reports nothing. */
    List<ResultAnswer> answers(SessionPoll asked) {
      List<SessionResult> results = asked.results();
      if (asked.poll() != poll || results.size() != outcomes.size()) {
        return List.of();
      }
      return IntStream.range(0, outcomes.size())
          .mapToObj(i -> answer(results.get(i), outcomes.get(i)))
          .toList();
    }

    private static ResultAnswer answer(SessionResult result, ResultOutcome outcome) {
      return new ResultAnswer(result.key(), result.number(), outcome);
    }
  }

  /** Events of one session in an answer: those after one through another, under a number. */
  record HandedOver(Session session, SessionNumber number, long after, long through) {}

  private Employment employment;
  private final long order;
  private final SessionList sessions;
  private final SessionList revoked;
  private final SessionList ready;
  private final SessionList delivered;
  private SessionWorkerState state = SessionWorkerState.REGISTERED;
  private long since;
  private LastAnswer last = LastAnswer.FIRST;
  private LastReport report = LastReport.NONE;
  // The last poll of which failures were counted, which is known after an opening too.
  private long failuresOf;
  private long reported;
  private boolean leaving;
  // Who asked it to end and why; null if nobody did, or before the store was opened.
  private String leavingFor;

  /** One that has just registered. */
  SessionWorker(Employment employment, long order, long now, UndoList undo) {
    this.employment = employment;
    this.order = order;
    this.since = now;
    this.sessions = new SessionList(Kind.PLACE, undo);
    this.revoked = new SessionList(Kind.PLACE, undo);
    this.ready = new SessionList(Kind.READY, undo);
    this.delivered = new SessionList(Kind.DELIVERED, undo);
  }

  Employment employment() {
    return employment;
  }

  void setCap(int cap, UndoList undo) {
    Employment before = employment;
    employment = employment.withCap(cap);
    undo.add(() -> employment = before);
  }

  UUID id() {
    return employment.id;
  }

  /** Of its registration among those of other workers. */
  long order() {
    return order;
  }

  SessionWorkerState state() {
    return state;
  }

  boolean employed() {
    return state != SessionWorkerState.RETIRED;
  }

  /** Those that it has, without the revoked ones. */
  SessionList sessions() {
    return sessions;
  }

  /** Those that it is to give back, for whatever reason ({@link Session#revoked}). */
  SessionList revoked() {
    return revoked;
  }

  SessionList ready() {
    return ready;
  }

  SessionList delivered() {
    return delivered;
  }

  /** How many sessions it has. */
  int size() {
    return sessions.size() + revoked.size();
  }

  boolean hasRoom(int cap) {
    return state == SessionWorkerState.AVAILABLE && !leaving && size() < cap;
  }

  /** How many heartbeats it has missed since it was last heard of. */
  long missed(long now, long heartbeat) {
    return silence(now) / heartbeat;
  }

  /** How long ago it was last heard of, or retired; nanoseconds. */
  long silence(long now) {
    return Math.max(0, now - since);
  }

  void heard(long now) {
    state = SessionWorkerState.AVAILABLE;
    since = now;
  }

  void absent() {
    state = SessionWorkerState.ABSENT;
  }

  /** After the store was opened: it has its full silence to return. */
  void reopened(long now) {
    since = now;
    last = LastAnswer.UNKNOWN;
    report = LastReport.NONE;
    if (state != SessionWorkerState.RETIRED) {
      state = SessionWorkerState.ABSENT;
    }
  }

  void retire(long now, UndoList undo) {
    SessionWorkerState before = state;
    long beforeSince = since;
    LastAnswer beforeLast = last;
    LastReport beforeReport = report;
    state = SessionWorkerState.RETIRED;
    since = now;
    // It is not answered any more.
    last = LastAnswer.UNKNOWN;
    report = LastReport.NONE;
    undo.add(
        () -> {
          state = before;
          since = beforeSince;
          last = beforeLast;
          report = beforeReport;
        });
  }

  boolean leaving() {
    return leaving;
  }

  /** Why its sessions are given back: who asked it to end, if that is known. */
  String whyItLeaves(String otherwise) {
    return leavingFor == null ? otherwise : "its worker was asked to end " + leavingFor;
  }

  /**
   * Notes that it is to end.
   *
   * @param by who asked and why; null if that is not known
   */
  void askToLeave(String by, UndoList undo) {
    boolean before = leaving;
    String beforeFor = leavingFor;
    leaving = true;
    leavingFor = by;
    undo.add(
        () -> {
          leaving = before;
          leavingFor = beforeFor;
        });
  }

  LastAnswer last() {
    return last;
  }

  LastReport lastReport() {
    return report;
  }

  void noted(LastReport now, UndoList undo) {
    LastReport before = report;
    report = now;
    undo.add(() -> report = before);
  }

  /** The number of the last poll with failures, which are not counted again; 0 for none. */
  long failuresOf() {
    return failuresOf;
  }

  void setFailuresOf(long poll, UndoList undo) {
    long before = failuresOf;
    failuresOf = poll;
    undo.add(() -> failuresOf = before);
  }

  /** Events delivered to it since it registered or the store was opened. */
  long reported() {
    return reported;
  }

  void answered(LastAnswer answer, int events, UndoList undo) {
    LastAnswer before = last;
    last = answer;
    reported += events;
    undo.add(
        () -> {
          last = before;
          reported -= events;
        });
  }

  /**
   * Revoked sessions to be told in an answer: if there are more, others in the next one.
   *
   * @param again whether the last answer may be lost, so that those that it told are told again
   */
  List<Session> tell(int most, boolean again) {
    Set<Session> some = new LinkedHashSet<>();
    Session from = null;
    for (Session one : last.told) {
      if (revoked.contains(one)) {
        from = revoked.after(one);
        if (again) {
          some.add(one);
        }
      }
    }
    for (int left = revoked.size(); left > 0 && some.size() < most; left--) {
      from = from == null ? revoked.first() : from;
      some.add(from);
      from = revoked.after(from);
    }
    return List.copyOf(some);
  }

  /**
   * Whether it certainly no longer works on its revoked sessions. One that goes on asking is told
   * of them, ends its work by itself in that time, and says so: which of its answers have arrived
   * is not known.
   */
  boolean hasStopped(long now, long stoppedNanos) {
    return silence(now) >= stoppedNanos;
  }
}
