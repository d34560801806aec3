package io.millrace.queuenode.session.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.util.RawValue;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.queuenode.session.store.QueueSessions.Figure;
import io.millrace.queuenode.session.store.SessionRow.EventRow;
import io.millrace.queuenode.session.store.SessionRow.SnapshotRow;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import io.millrace.queuenode.session.store.SessionStore.Polled;
import io.millrace.queuenode.session.store.SessionWorker.HandedOver;
import io.millrace.queuenode.session.store.SessionWorker.LastAnswer;
import io.millrace.queuenode.session.store.SessionWorker.LastReport;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Delivers events to workers, those of each session in order (M-10). One thread. */
final class SessionPolls {
  private static final Logger LOGGER = LoggerFactory.getLogger(SessionPolls.class);
  private static final TypeReference<Map<String, String>> ATTRIBUTES = new TypeReference<>() {};
  private static final int REVOKED = 1_000;

  /** Why a session is revoked, if an operator resumes it before its worker gives it back. */
  static final String PARKED = "it was parked";

  private final SessionChanges changes;
  private final SessionRows rows;
  private final SessionResults results;
  private final Assigning assigning;

  SessionPolls(
      SessionChanges changes, SessionRows rows, SessionResults results, Assigning assigning) {
    this.changes = changes;
    this.rows = rows;
    this.results = results;
    this.assigning = assigning;
  }

  /**
   * Answers a poll of an employed worker.
   *
   * @param number of the answer
   * @param request that is to be answered
   */
  Polled poll(
      QueueSessions queue,
      SessionWorker worker,
      SessionPoll poll,
      long number,
      long request,
      DeliveryRules rules,
      long maxBytes) {
    LastAnswer last = worker.last();
    boolean repeated = number == last.number();
    // What waits looks again, and was not answered yet.
    boolean another = repeated && request != last.request();
    requireNext(poll, worker.lastReport().poll());
    boolean reports = poll.poll() > worker.lastReport().poll();
    if (reports) {
      SessionResults.check(queue, worker, poll.results());
    }
    queue.use(rules);
    changes.book().touch(queue);
    Wakes wakes = new Wakes();
    queue.assignment().heartbeat(worker, changes.nanos());
    if (reports) {
      note(queue, worker, poll, rules, wakes);
    }
    boolean mayBeLost = number != last.number() + 1 || last.number() < 0;
    if (mayBeLost) {
      // Whether that arrived is unknown; after a repetition it is certain that it did not.
      rewind(worker, last.delivered());
      if (!repeated) {
        rewindAll(worker);
      }
    }
    assigning.assign(queue, wakes);
    Answer answer = new Answer(queue, worker, poll.max(), maxBytes, rules.batch());
    if (another) {
      // Which of the answers arrives is not known: all bring the same from now on.
      answer.repeat(last.delivered());
    } else {
      answer.fill();
    }
    List<Session> told = worker.tell(REVOKED, mayBeLost);
    worker.answered(
        new LastAnswer(number, another ? LastAnswer.OF_SEVERAL : request, answer.handedOver, told),
        answer.events,
        changes.book().undo());
    LastReport known = worker.lastReport();
    return new Polled(
        new PollAnswered(
            poll.poll() == 0 ? number : poll.poll(),
            known.answers(poll),
            answer.sessions,
            revoked(told),
            worker.leaving(),
            rules.sessions().heartbeat(),
            rules.deadline()),
        another,
        wakes.effects());
  }

  // A copy of an earlier poll that arrives late is not to be noted or answered with events.
  private static void requireNext(SessionPoll poll, long last) {
    if (poll.poll() > 0 && poll.poll() < last) {
      throw new MillraceException(
          ErrorCode.STALE_REQUEST,
          "poll %d of this process came after its poll %d; its polls are counted up from 1"
              .formatted(poll.poll(), last));
    }
  }

  private void note(
      QueueSessions queue,
      SessionWorker worker,
      SessionPoll poll,
      DeliveryRules rules,
      Wakes wakes) {
    boolean counts = countsFailures(queue, worker, poll);
    List<ResultOutcome> outcomes = new ArrayList<>();
    for (SessionResult result : poll.results()) {
      outcomes.add(results.note(queue, worker, result, rules, counts, wakes));
    }
    worker.noted(LastReport.of(poll.poll(), outcomes), changes.book().undo());
  }

  // After an opening the answers of the last poll are unknown, but not that it was counted.
  private boolean countsFailures(QueueSessions queue, SessionWorker worker, SessionPoll poll) {
    boolean fails = poll.results().stream().anyMatch(result -> result.kind() == ResultKind.FAILED);
    if (!fails || poll.poll() <= worker.failuresOf()) {
      return false;
    }
    changes.noteFailures(queue, worker, poll.poll());
    return true;
  }

  private void rewind(SessionWorker worker, List<HandedOver> delivered) {
    for (int i = delivered.size() - 1; i >= 0; i--) {
      HandedOver one = delivered.get(i);
      Session session = one.session();
      if (session.worker() == worker
          && session.hasNumber(one.number())
          && session.delivered() >= one.after()
          && (session.delivered() > one.after() || one.after() == session.start())) {
        changes.rewind(session, one.after());
      }
    }
  }

  // What was delivered may not have arrived.
  private void rewindAll(SessionWorker worker) {
    while (worker.delivered().size() > 0) {
      Session session = worker.delivered().last();
      changes.rewind(session, session.done());
    }
    // Also that it has sessions of which there was nothing to deliver.
    for (Session one = worker.sessions().first(); one != null; one = worker.sessions().after(one)) {
      if (one.delivered() == one.start()) {
        changes.introduceAgain(one);
      }
    }
  }

  // By key, so that an answer does not depend on how often the node has looked before.
  private static List<RevokedSession> revoked(List<Session> told) {
    return told.stream()
        .sorted(Comparator.comparing(Session::key))
        .map(session -> new RevokedSession(session.key(), session.number()))
        .toList();
  }

  /** JSON text as a node that is written as it is. */
  static JsonNode json(byte[] text) {
    return JsonNodeFactory.instance.rawValueNode(
        new RawValue(new String(text, StandardCharsets.UTF_8)));
  }

  private static Map<String, String> attributes(String json) throws JsonProcessingException {
    return json == null ? null : Json.mapper().readValue(json, ATTRIBUTES);
  }

  // One such session must not stop its worker, who would get it with each poll.
  private void parkUnreadable(Session session, long n) {
    String reason = "the attributes of event %d cannot be read".formatted(n);
    LOGGER.warn(
        "session {} of {} is parked: {}",
        ShownText.of(session.key()),
        session.queue().name(),
        reason);
    // Its worker may have had events before this one: it gives the session back.
    changes.park(session, reason);
    if (!session.movedAlone()) {
      changes.revoke(session, PARKED);
    }
    changes.history().note(session, changes.now(), "PARKED", null, reason);
  }

  /** The events of one answer, while it is filled. */
  private final class Answer {
    private final QueueSessions queue;
    private final SessionWorker worker;
    private final int max;
    private final long maxBytes;
    private final int batch;
    private final List<SessionDelivery> sessions = new ArrayList<>();
    private final List<HandedOver> handedOver = new ArrayList<>();
    private int events;
    // Events, and sessions without any.
    private int used;
    private long bytes;

    Answer(QueueSessions queue, SessionWorker worker, int max, long maxBytes, int batch) {
      this.queue = queue;
      this.worker = worker;
      this.max = max;
      this.maxBytes = maxBytes;
      this.batch = batch;
    }

    void fill() {
      SessionList ready = worker.ready();
      Session firstAgain = null;
      Session session = ready.first();
      while (session != null && session != firstAgain && used < max && bytes < maxBytes) {
        boolean complete = add(session);
        // Fair: it goes behind the others, if it has more.
        if (ready.contains(session)) {
          if (!complete) {
            break;
          }
          ready.remove(session);
          ready.addLast(session);
          firstAgain = firstAgain == null ? session : firstAgain;
        }
        session = ready.first();
      }
      count();
    }

    /** Takes what an answer brought and nothing else, as far as its sessions are still there. */
    void repeat(List<HandedOver> before) {
      for (HandedOver one : before) {
        Session session = one.session();
        if (used < max
            && worker.ready().contains(session)
            && session.hasNumber(one.number())
            && (session.delivered() < one.through() || session.delivered() == one.after())) {
          add(session, one.through() - session.delivered());
        }
      }
      count();
    }

    private void count() {
      changes.count(queue, Figure.DELIVERED, events);
      changes.count(queue, Figure.DELIVERED_BYTES, bytes);
    }

    // Whether it got all of a batch, and not only what the answer has room for.
    private boolean add(Session session) {
      return add(session, batch);
    }

    private boolean add(Session session, long most) {
      long after = session.delivered();
      int wanted = (int) Math.min(Math.min(most, max - used), queue.deliverable(session));
      long[] seqs = new long[wanted];
      for (int i = 0; i < wanted; i++) {
        seqs[i] = session.seqOf(after + 1 + i);
      }
      long before = bytes;
      JsonNode snapshot = after == session.start() ? snapshot(session) : null;
      List<SessionEvent> batchEvents = new ArrayList<>();
      boolean[] unreadable = {false};
      rows.read(
          seqs,
          each -> {
            EventRow row = (EventRow) each;
            if (events > 0 && bytes + row.event().bytes() > maxBytes) {
              return false;
            }
            Optional<SessionEvent> event = event(session, after + 1 + batchEvents.size(), row);
            if (event.isEmpty()) {
              unreadable[0] = true;
              return false;
            }
            events++;
            used++;
            bytes += row.event().bytes();
            return batchEvents.add(event.get());
          });
      if (unreadable[0] && batchEvents.isEmpty()) {
        parkUnreadable(session, after + 1);
        return true;
      }
      if (wanted > 0 && batchEvents.isEmpty()) {
        bytes = before;
        return false;
      }
      used += wanted == 0 ? 1 : 0;
      sessions.add(
          new SessionDelivery(
              session.key(),
              session.number(),
              session.start() + 1,
              snapshot,
              session.done() < session.acknowledged() ? session.acknowledged() : 0,
              batchEvents));
      long through = after + batchEvents.size();
      handedOver.add(new HandedOver(session, session.number(), after, through));
      changes.deliver(session, through, changes.nanos());
      return batchEvents.size() == wanted;
    }

    private JsonNode snapshot(Session session) {
      if (session.rare().snapshotSeq() == 0 || session.covered() > session.start()) {
        return null;
      }
      byte[] json = ((SnapshotRow) rows.read(session.rare().snapshotSeq())).json();
      bytes += json.length;
      return json(json);
    }

    // Empty if it cannot be read.
    private Optional<SessionEvent> event(Session session, long n, EventRow row) {
      try {
        return Optional.of(
            new SessionEvent(
                n,
                row.event().id(),
                Instant.ofEpochMilli(row.storedAt()),
                session.attempts(n) + 1,
                attributes(row.event().attributes()),
                json(row.event().data())));
      } catch (JsonProcessingException e) {
        return Optional.empty();
      }
    }
  }
}
