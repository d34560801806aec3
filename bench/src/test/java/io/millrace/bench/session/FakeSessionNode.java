package io.millrace.bench.session;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** A queue of sessions in memory, which can be told to make one mistake of each kind. */
final class FakeSessionNode implements SessionCalls {
  private final String key;
  private final Map<String, Kept> sessions = new LinkedHashMap<>();
  private final Set<String> completed = new HashSet<>();
  private final Set<Mistake> mistakes = new HashSet<>();
  private int cap = Integer.MAX_VALUE;
  private int mostUnassigned;
  private int failingPuts;

  /** A queue without events whose keys are in this field. */
  FakeSessionNode(String key) {
    this.key = key;
  }

  /** What a broken node might do. */
  enum Mistake {
    LOSE_AN_EVENT,
    SWAP_TWO_EVENTS,
    ACCEPT_A_DUPLICATE
  }

  /** Makes a mistake at the next occasion. */
  synchronized void mistake(Mistake mistake) {
    mistakes.add(mistake);
  }

  synchronized void cap(int most) {
    cap = most;
  }

  synchronized int mostUnassigned() {
    return mostUnassigned;
  }

  /** So many puts are carried out and not answered. */
  synchronized void dropAnswersOfPuts(int count) {
    failingPuts = count;
  }

  @Override
  public synchronized PutOutcome put(String batch, String mediaType, byte[] lines)
      throws IOException {
    List<RefusedEvent> refused = new ArrayList<>();
    int repeated = 0;
    String[] events = new String(lines, StandardCharsets.UTF_8).split("\n", -1);
    for (int index = 0; index < events.length - 1; index++) {
      JsonNode line = Json.read(events[index], JsonNode.class);
      boolean envelope = mediaType.equals(EventMedia.ENVELOPES);
      JsonNode data = envelope ? line.get("data") : line;
      String id = envelope ? line.get("id").asText() : batch + "-" + index;
      ErrorCode problem = null;
      String of = data.get(key).asText();
      if (completed.contains(of) && !mistakes.remove(Mistake.ACCEPT_A_DUPLICATE)) {
        problem = ErrorCode.DUPLICATE;
      } else if (sessions.containsKey(of) && sessions.get(of).ids.contains(id)) {
        repeated++;
      } else if (!sessions.containsKey(of) && unassigned() >= cap) {
        problem = ErrorCode.SESSIONS_FULL;
      } else {
        store(of, id, data);
      }
      if (problem != null) {
        refused.add(new RefusedEvent(index, id, of, problem, "refused"));
      }
    }
    mostUnassigned = Math.max(mostUnassigned, unassigned());
    if (failingPuts > 0) {
      failingPuts--;
      throw new IOException("the answer is lost");
    }
    int stored = events.length - 1 - refused.size();
    return new PutOutcome(
        stored, repeated > 0 && repeated == stored, refused, null, Duration.ofMillis(1));
  }

  private void store(String of, String id, JsonNode data) {
    Kept session = sessions.computeIfAbsent(of, unknown -> new Kept());
    session.ids.add(id);
    session.events.add(
        new DeliveredEvent(
            session.events.size() + 1, id, data.path(GeneratedSessions.PLACE).asLong()));
    int size = session.events.size();
    if (size > 1 && mistakes.remove(Mistake.SWAP_TWO_EVENTS)) {
      DeliveredEvent last = session.events.remove(size - 1);
      DeliveredEvent before = session.events.remove(size - 2);
      session.events.add(new DeliveredEvent(size - 1, last.id(), last.place()));
      session.events.add(new DeliveredEvent(size, before.id(), before.place()));
    } else if (size > 1 && mistakes.remove(Mistake.LOSE_AN_EVENT)) {
      session.events.remove(size - 1);
    }
  }

  private int unassigned() {
    return (int) sessions.values().stream().filter(session -> session.worker == null).count();
  }

  @Override
  public synchronized void register(UUID worker, UUID incarnation, Integer most, String name) {
    if (most < 1) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "no room");
    }
  }

  @Override
  public synchronized PollOutcome poll(UUID worker, SessionPoll poll) {
    List<ResultAnswer> answers = new ArrayList<>();
    for (SessionResult result : poll.results()) {
      Kept session = sessions.get(result.key());
      session.acknowledged = (int) result.through();
      if (result.kind() == ResultKind.COMPLETED) {
        sessions.remove(result.key());
        completed.add(result.key());
      }
      answers.add(new ResultAnswer(result.key(), result.number(), ResultOutcome.DONE));
    }
    List<DeliveredSession> delivered = new ArrayList<>();
    sessions.forEach(
        (of, session) -> {
          boolean mine = session.worker == null || session.worker.equals(worker);
          if (mine
              && delivered.size() < poll.max()
              && session.events.size() > session.acknowledged
              && session.acknowledged == session.delivered) {
            session.worker = worker;
            delivered.add(
                new DeliveredSession(
                    of,
                    new SessionNumber(1, 1),
                    1,
                    List.copyOf(session.events.subList(session.delivered, session.events.size()))));
            session.delivered = session.events.size();
          }
        });
    return new PollOutcome(answers, delivered, List.of());
  }

  private static final class Kept {
    private final Set<String> ids = new HashSet<>();
    private final List<DeliveredEvent> events = new ArrayList<>();
    private UUID worker;
    private int delivered;
    private int acknowledged;
  }
}
