package io.millrace.tests.drill.session;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.event.EventMedia.EventDraft;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.RegistrationOutcome;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistered;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * A load balancer and its only queue node in memory, of one queue of sessions. It forgets its
 * workers now and then, loses answers, refuses events for a while, and has a defect if asked to.
 * Thread-safe.
 */
final class FakeSessionNode implements HttpTransport {
  private static final Duration DEADLINE = Duration.ofSeconds(2);
  private static final long PATIENCE_MILLIS = 10;
  // After as many, a worker with a name is forgotten: one that polls only when it handles nothing.
  private static final int POLLS = 12;
  private static final int TROUBLE_ONE_IN = 25;
  private static final int NEW_SESSIONS = 5;

  private final RandomGenerator random;
  private final Defect defect;
  private final Map<String, FakeSession> sessions = new LinkedHashMap<>();
  private final Set<String> completed = new HashSet<>();
  private final Map<UUID, FakeWorker> workers = new HashMap<>();
  private int stored;

  FakeSessionNode(RandomGenerator random, Defect defect) {
    this.random = random;
    this.defect = defect;
  }

  /** What it does wrong. */
  enum Defect {
    NONE,
    LOSES_EVENTS,
    SWAPS_EVENTS,
    STORES_REPETITIONS,
    ACCEPTS_STALE_RESULTS,
    FORGETS_ACKNOWLEDGED_EVENTS,
    ENDS_TOO_EARLY
  }

  private static final class FakeSession {
    final List<EventDraft> events = new ArrayList<>();
    final Set<String> ids = new HashSet<>();
    int handover;
    UUID worker;
    long acknowledged;
    long from = 1;
    JsonNode snapshot;

    SessionNumber number() {
      return new SessionNumber(1, handover);
    }
  }

  private static final class FakeWorker {
    UUID incarnation;
    String name;
    long poll;
    PollAnswered answer;
  }

  @Override
  public synchronized HttpAnswer send(HttpCall call) throws IOException {
    String[] path = call.uri().getPath().split("/", -1);
    String body = new String(call.body(), StandardCharsets.UTF_8);
    Object answer;
    try {
      answer =
          switch (path[path.length - 1]) {
            case "events" -> put(body);
            case "polls" ->
                poll(UUID.fromString(path[path.length - 2]), Json.read(body, SessionPoll.class));
            default ->
                register(
                    UUID.fromString(path[path.length - 1]),
                    Json.read(body, WorkerRegistration.class));
          };
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (MillraceException e) {
      Map<String, String> headers = Map.of("content-type", Problem.MEDIA_TYPE);
      return new HttpAnswer(e.code().status(), headers, Json.writeBytes(e.problem()));
    }
    if (random.nextInt(TROUBLE_ONE_IN) == 0) {
      throw new IOException("the answer is lost");
    }
    return new HttpAnswer(200, Map.of(), Json.writeBytes(answer));
  }

  @Override
  public InputStream stream(HttpCall call) throws IOException {
    throw new IOException("not streamed: " + call.uri());
  }

  private SendAnswer put(String body) {
    List<RefusedEvent> refused = new ArrayList<>();
    Set<String> full = new HashSet<>();
    int index = 0;
    List<EventDraft> drafts =
        new ArrayList<>(body.lines().map(line -> Json.read(line, EventDraft.class)).toList());
    for (EventDraft one : drafts) {
      String key = one.attributes().get(SessionProducer.KEY);
      if (completed.contains(key)) {
        refused.add(new RefusedEvent(index, one.id(), key, ErrorCode.DUPLICATE, "it has ended"));
      } else if (full.contains(key) || random.nextInt(TROUBLE_ONE_IN) == 0) {
        full.add(key);
        refused.add(new RefusedEvent(index, one.id(), key, ErrorCode.SESSIONS_FULL, "full"));
      } else {
        store(sessions.computeIfAbsent(key, any -> new FakeSession()), one);
      }
      index++;
    }
    return new SendAnswer("q", "b", drafts.size() - refused.size(), false, "q1", refused);
  }

  private void store(FakeSession session, EventDraft event) {
    boolean isNew = session.ids.add(event.id());
    if (!isNew && defect != Defect.STORES_REPETITIONS) {
      return;
    }
    stored++;
    if (defect == Defect.LOSES_EVENTS && stored % 40 == 0) {
      return;
    }
    int waiting = session.events.size() - (int) session.acknowledged;
    boolean ahead = defect == Defect.SWAPS_EVENTS && session.worker == null && waiting > 0;
    session.events.add(session.events.size() - (ahead ? 1 : 0), event);
  }

  private WorkerRegistered register(UUID id, WorkerRegistration registration) {
    FakeWorker worker = workers.computeIfAbsent(id, any -> new FakeWorker());
    worker.incarnation = registration.incarnation();
    worker.poll = 0;
    worker.name = registration.name();
    takeAll(id);
    return new WorkerRegistered(RegistrationOutcome.EMPLOYED, DEADLINE.dividedBy(3), DEADLINE);
  }

  private void takeAll(UUID worker) {
    sessions.values().stream()
        .filter(one -> worker.equals(one.worker))
        .forEach(one -> one.worker = null);
  }

  private PollAnswered poll(UUID id, SessionPoll poll) throws InterruptedException {
    FakeWorker worker = workers.get(id);
    if (worker == null || !worker.incarnation.equals(poll.incarnation())) {
      throw new MillraceException(ErrorCode.UNKNOWN_WORKER, "no worker " + id);
    }
    if (poll.poll() == worker.poll) {
      return worker.answer;
    }
    List<ResultAnswer> answers = new ArrayList<>();
    for (SessionResult one : poll.results()) {
      answers.add(new ResultAnswer(one.key(), one.number(), note(id, one)));
    }
    if (poll.poll() == POLLS && worker.name != null) {
      // As if it had been silent: what it reports from now on is late.
      workers.remove(id);
      takeAll(id);
    }
    worker.poll = poll.poll();
    worker.answer =
        new PollAnswered(
            poll.poll(),
            answers,
            deliver(id, poll.max()),
            null,
            false,
            DEADLINE.dividedBy(3),
            DEADLINE);
    if (worker.answer.sessions().isEmpty() && poll.results().isEmpty()) {
      TimeUnit.MILLISECONDS.timedWait(this, PATIENCE_MILLIS);
    }
    return worker.answer;
  }

  private ResultOutcome note(UUID id, SessionResult result) {
    FakeSession session = sessions.get(result.key());
    boolean current =
        session != null && id.equals(session.worker) && session.number().equals(result.number());
    if (!current && defect == Defect.ACCEPTS_STALE_RESULTS) {
      return ResultOutcome.DONE;
    } else if (!current) {
      return session == null ? ResultOutcome.UNKNOWN : ResultOutcome.STALE;
    }
    session.acknowledged = Math.max(session.acknowledged, result.through());
    if (result.kind() == ResultKind.SNAPSHOT) {
      session.snapshot = result.snapshot();
      session.from = result.through() + 1;
    } else if (result.kind() == ResultKind.RELEASED) {
      session.worker = null;
    } else if (result.kind() == ResultKind.COMPLETED || defect == Defect.ENDS_TOO_EARLY) {
      if (result.through() < session.events.size()) {
        return ResultOutcome.CONTINUES;
      }
      sessions.remove(result.key());
      completed.add(result.key());
    }
    return ResultOutcome.DONE;
  }

  private List<SessionDelivery> deliver(UUID id, int max) {
    List<SessionDelivery> deliveries = new ArrayList<>();
    for (Map.Entry<String, FakeSession> entry : sessions.entrySet()) {
      FakeSession session = entry.getValue();
      boolean begins = session.worker == null && workers.containsKey(id);
      begins &= deliveries.size() < Math.min(max, NEW_SESSIONS);
      if (begins) {
        session.worker = id;
        session.handover++;
        if (defect == Defect.FORGETS_ACKNOWLEDGED_EVENTS) {
          session.from = session.acknowledged + 1;
        }
      }
      long next = begins ? session.from : session.acknowledged + 1;
      if (id.equals(session.worker) && next <= session.events.size() && deliveries.size() < max) {
        deliveries.add(delivery(entry.getKey(), session, next));
      }
    }
    return deliveries;
  }

  private static SessionDelivery delivery(String key, FakeSession session, long next) {
    List<SessionEvent> events = new ArrayList<>();
    for (long n = next; n <= session.events.size(); n++) {
      EventDraft one = session.events.get((int) n - 1);
      events.add(new SessionEvent(n, one.id(), Instant.EPOCH, 1, one.attributes(), one.data()));
    }
    return new SessionDelivery(
        key, session.number(), session.from, session.snapshot, session.acknowledged, events);
  }

  /** Keys of sessions that have not ended. */
  synchronized List<String> open() {
    return List.copyOf(sessions.keySet());
  }
}
