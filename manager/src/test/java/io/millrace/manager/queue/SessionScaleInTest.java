package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionScaleInTest {
  @TempDir Path folder;

  @Test
  void theJobWithTheFewestSessionsIsChosenAndNeverAProgramOutside() {
    assertThat(
            SessionScaleIn.choose(
                List.of(
                    worker(1, "7.1", 9, SessionWorkerState.AVAILABLE, false),
                    worker(2, "8.1", 3, SessionWorkerState.REGISTERED, false),
                    worker(3, "9.1", 0, SessionWorkerState.RETIRED, false),
                    worker(4, "10.1", 0, SessionWorkerState.ABSENT, false),
                    worker(5, null, 0, SessionWorkerState.AVAILABLE, false))))
        .get()
        .extracting(SessionWorkerView::job)
        .isEqualTo("8.1");
    assertThat(
            SessionScaleIn.choose(List.of(worker(5, null, 0, SessionWorkerState.AVAILABLE, false))))
        .isEmpty();
  }

  @Test
  void nobodyIsChosenWhileAnotherOneIsEnding() {
    assertThat(
            SessionScaleIn.choose(
                List.of(
                    worker(1, "7.1", 9, SessionWorkerState.AVAILABLE, true),
                    worker(2, "8.1", 3, SessionWorkerState.AVAILABLE, false))))
        .isEmpty();
    assertThat(
            SessionScaleIn.choose(
                List.of(
                    worker(1, "7.1", 9, SessionWorkerState.RETIRED, true),
                    worker(2, "8.1", 3, SessionWorkerState.AVAILABLE, false))))
        .isPresent();
  }

  @Test
  void theNodeOfTheSegmentIsAskedForItsWorkersAndThenOneOfThemToEnd() throws Exception {
    SegmentHosts hosts = new SegmentHosts();
    BlockingQueue<HttpCall> posted = new LinkedBlockingQueue<>();
    hosts.answers(
        "q1",
        call -> {
          if (call.method().equals("POST")) {
            posted.add(call);
            return Map.of();
          }
          return List.of(
              worker(1, "7.1", 9, SessionWorkerState.AVAILABLE, false),
              worker(2, "8.1", 3, SessionWorkerState.AVAILABLE, false));
        });
    KeyFiles.ensure(folder.resolve("tokens"));
    SystemClock clock = new SystemClock();
    SegmentCalls calls =
        new SegmentCalls(
            new SignedCalls(
                hosts,
                CallSigner.ofCentralManager(KeyFiles.privateKey(folder.resolve("tokens"))),
                clock));
    BackgroundCalls background = new BackgroundCalls(clock);
    try (QueueWorld world = new QueueWorld(folder.resolve("database"))) {
      world.reports("q1");

      new SessionScaleIn(world.nodes, calls, Principal.of(Role.MANAGER, "c1"), background)
          .ask("orders", "q1");

      HttpCall call = posted.poll(10, TimeUnit.SECONDS);
      assertThat(call.uri().getPath())
          .isEqualTo("/v1/queues/orders/session-workers/" + new UUID(0, 2) + "/retirement");
      String body = new String(call.body(), StandardCharsets.UTF_8);
      assertThat(Json.read(body, RetirementRequest.class).ask()).isTrue();
    } finally {
      background.stop();
      calls.stop();
    }
  }

  private static SessionWorkerView worker(
      long id, String job, int sessions, SessionWorkerState state, boolean leaving) {
    return new SessionWorkerView(
        new UUID(0, id), null, "q1", "orders", state, job, sessions, 10, 1, 0, 0, 5, leaving);
  }
}
