package io.millrace.cli.session;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.KeptEvent;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionMoment;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.cli.CommandRun;
import java.util.List;
import java.util.UUID;

/** Sessions and their workers as a server would show them. */
final class SessionSamples {
  static final UUID FIRST = UUID.fromString("4f1c0000-0000-4000-8000-000000000001");
  static final UUID SECOND = UUID.fromString("4f2d0000-0000-4000-8000-000000000002");

  private SessionSamples() {}

  /** One that a worker has. */
  static SessionView open(String key, UUID worker) {
    return session(key, SessionState.OPEN, worker, "packer", 63, null);
  }

  /** One that waits. */
  static SessionView unassigned(String key, String waitsFor) {
    return session(key, SessionState.UNASSIGNED, null, null, 90, waitsFor);
  }

  /** One that has ended with events that nobody acknowledged. */
  static SessionView completed(String key) {
    return session(key, SessionState.COMPLETED, null, null, 0, null);
  }

  private static SessionView session(
      String key,
      SessionState state,
      UUID worker,
      String workerName,
      double oldest,
      String waitsFor) {
    return new SessionView(
        key,
        "q1",
        417,
        state,
        new SessionNumber(3, 1),
        worker,
        workerName,
        1_005,
        3,
        CommandRun.NOW.minusSeconds(300),
        CommandRun.NOW.minusSeconds(10),
        oldest,
        waitsFor);
  }

  static SessionDetails details(SessionView session) {
    JsonNode snapshot = Json.read("{\"paid\":true}", JsonNode.class);
    return new SessionDetails(
        session,
        List.of(event(4, "DELIVERED"), event(5, "WAITING")),
        1_000,
        snapshot,
        3,
        13,
        List.of(
            moment(240, "ASSIGNED", "3.1", FIRST, null),
            moment(120, "RETURNED", "3.1", FIRST, "its worker was silent")));
  }

  private static KeptEvent event(long n, String state) {
    return new KeptEvent(
        n,
        "e" + n,
        CommandRun.NOW.minusSeconds(60),
        state,
        n == 4 ? "{\"kind\":\"paid\"}" : null,
        Json.read("{\"n\":" + n + "}", JsonNode.class));
  }

  private static SessionMoment moment(
      int secondsAgo, String what, String number, UUID worker, String reason) {
    return new SessionMoment(
        CommandRun.NOW.minusSeconds(secondsAgo), what, SessionNumber.of(number), worker, reason);
  }

  static SessionWorkerView worker(UUID id, String name, String node, SessionWorkerState state) {
    return new SessionWorkerView(
        id, name, node, "orders", state, "17.1", 12, 15_000, 4, 0, 63, 1_234, false);
  }
}
