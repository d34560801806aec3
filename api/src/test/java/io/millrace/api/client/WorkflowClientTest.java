package io.millrace.api.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.client.WorkflowClient.SubmissionListener;
import io.millrace.api.job.JobDraft;
import io.millrace.api.workflow.StepChunk;
import io.millrace.api.workflow.SubmissionOutcome;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.api.workflow.WorkflowIdentity;
import io.millrace.api.workflow.WorkflowLimit;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.StepProgress;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class WorkflowClientTest {
  private static final int STEPS = 2_500;

  private final FakeServer server = new FakeServer();
  private final List<Duration> pauses = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private final WorkflowClient workflows = client(server);

  private WorkflowClient client(FakeServer asked) {
    return new WorkflowClient(
        new ApiClient(
            asked, new Endpoints(List.of(URI.create("http://10.0.0.1:7700"))), () -> null),
        pauses::add);
  }

  @Test
  void aWorkflowIsOpenedBoundInChunksCommittedAndAwaitedUntilItIsChecked() {
    WorkflowView view = submit();

    assertThat(view.state()).isEqualTo(WorkflowState.RUNNING);
    assertThat(server.asked)
        .containsExactly(
            "POST /v1/workflows",
            "POST /v1/workflows/17/steps",
            "POST /v1/workflows/17/steps",
            "POST /v1/workflows/17/steps",
            "POST /v1/workflows/17/commit",
            "GET /v1/workflows/17/wait?timeout=0s",
            "GET /v1/workflows/17/wait?timeout=0s");
    assertThat(server.identity.hash()).isEqualTo(server.submission.identity());
    assertThat(told)
        .containsExactly("created", "1024 of 2500", "2048 of 2500", "2500 of 2500", "2500 of 2500");
  }

  @Test
  void chunksWhoseAnswersAreLostAreSentAgain() {
    server.fail("/steps", lost(), lost()).fail("/commit", lost());

    assertThat(submit().state()).isEqualTo(WorkflowState.RUNNING);

    assertThat(server.asked).filteredOn(call -> call.endsWith("/steps")).hasSize(5);
    assertThat(pauses).startsWith(Duration.ofMillis(200), Duration.ofMillis(400));
    assertThat(told).contains("UNREACHABLE after which 200ms");
  }

  @Test
  void aServerThatIsRestartedMeanwhileAndAProxyThatGivesUpAreWaitedFor() {
    server
        .fail("/steps", down(), answer(504, "text/html", "<h1>Gateway Timeout</h1>"))
        .fail("/steps", refusal(ErrorCode.UNAVAILABLE, "starting"))
        .fail("/wait", answer(502, "text/html", "<h1>Bad Gateway</h1>"));

    assertThat(submit().state()).isEqualTo(WorkflowState.RUNNING);
  }

  @Test
  void theAnswerOfTheOpeningMayBeLostButAServerThatIsNotThereFailsAtOnce() {
    server.fail("/v1/workflows", lost());
    assertThat(submit().state()).isEqualTo(WorkflowState.RUNNING);

    server.fail("/v1/workflows", down());
    assertThatThrownBy(this::submit)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
  }

  @Test
  void aRepetitionOfTheOpeningIsKnownAsOneAndANewSubmissionIsNot() {
    server.fail("/v1/workflows", lost(), answer(504, "text/html", "<h1>Gateway Timeout</h1>"));
    submit();

    assertThat(server.keys).hasSize(3).doesNotContainNull().containsOnly(server.keys.get(0));
    submit();
    assertThat(server.keys.get(3)).isNotNull().isNotEqualTo(server.keys.get(0));
  }

  @Test
  void patienceEnds() {
    for (int i = 0; i < 1_000; i++) {
      server.fail("/commit", down());
    }

    assertThatThrownBy(this::submit).isInstanceOf(MillraceException.class);

    Duration waited = pauses.stream().reduce(Duration.ZERO, Duration::plus);
    assertThat(waited).isBetween(Duration.ofMinutes(9), CallRepetition.PATIENCE);
    assertThat(pauses).allMatch(pause -> pause.compareTo(Duration.ofSeconds(10)) <= 0);
  }

  @Test
  void anInterruptedSubmissionContinuesWhereItEnded() {
    server.fail("/steps", ok(), refusal(ErrorCode.FORBIDDEN, "no"));
    assertThatThrownBy(this::submit).hasMessageContaining("no");
    told.clear();

    assertThat(submit().state()).isEqualTo(WorkflowState.RUNNING);

    assertThat(told).startsWith("existed", "2048 of 2500");
  }

  @Test
  void aWorkflowWhoseStepsAreRefusedForGoodIsCancelledByWhoeverCreatedIt() {
    for (ErrorCode code : List.of(ErrorCode.INVALID_REQUEST, ErrorCode.BODY_TOO_LARGE)) {
      FakeServer refusing = new FakeServer();
      refusing.outcome = SubmissionOutcome.CREATED;
      refusing.fail("/steps", ok(), refusal(code, "step 1024: wrong"));

      assertThatThrownBy(() -> client(refusing).submit(graph(), null, SubmissionListener.NONE))
          .hasMessage("step 1024: wrong");

      assertThat(refusing.asked).last().isEqualTo("POST /v1/workflows/17/cancel");
    }
  }

  @Test
  void theRefusalIsToldEvenIfTheCancellationFails() {
    server.outcome = SubmissionOutcome.CREATED;
    server
        .fail("/steps", refusal(ErrorCode.INVALID_REQUEST, "step 0: wrong"))
        .fail("/cancel", refusal(ErrorCode.FORBIDDEN, "no"));

    assertThatThrownBy(this::submit)
        .hasMessage("step 0: wrong")
        .satisfies(e -> assertThat(e.getSuppressed()).singleElement().asString().contains("no"));
  }

  @Test
  void aSubmissionThatMayContinueOrIsAnothersIsNotCancelled() {
    server.outcome = SubmissionOutcome.CREATED;
    server.fail("/steps", refusal(ErrorCode.FORBIDDEN, "no"));
    assertThatThrownBy(this::submit).hasMessage("no");
    server.fail("/steps", refusal(ErrorCode.CONFLICT, "other steps come next"));
    assertThatThrownBy(this::submit).hasMessage("other steps come next");
    server.outcome = SubmissionOutcome.CONTINUED;
    server.fail("/steps", refusal(ErrorCode.INVALID_REQUEST, "step 0: wrong"));
    assertThatThrownBy(this::submit).hasMessage("step 0: wrong");

    assertThat(server.asked).noneMatch(call -> call.endsWith("/cancel"));
  }

  @Test
  void twoClientsBindTheSameWorkflowTogether() {
    server.beforeChunk = 1;
    server.fail(
        "/commit",
        carryOut -> {
          carryOut.get();
          return refusal(ErrorCode.CONFLICT, "it is being checked already").happen(carryOut);
        });

    assertThat(submit().state()).isEqualTo(WorkflowState.RUNNING);
  }

  @Test
  void aConflictWithoutProgressIsReported() {
    server.fail("/commit", refusal(ErrorCode.CONFLICT, "the hash is another one"));

    assertThatThrownBy(this::submit).hasMessage("the hash is another one");
  }

  @Test
  void aWorkflowThatRunsAlreadyIsAnsweredAsItIs() {
    submit();
    server.asked.clear();

    assertThat(submit().state()).isEqualTo(WorkflowState.RUNNING);
    assertThat(server.asked).containsExactly("POST /v1/workflows");
  }

  @Test
  void aGraphWithProblemsIsNotSent() {
    WorkflowGraph graph = new WorkflowGraph("nightly");
    graph.template("fetch", JobDraft.command("fetch", "{day}").spec());

    assertThatThrownBy(() -> workflows.submit(graph, null, SubmissionListener.NONE))
        .hasMessageContaining("no argument fills {day}");
    assertThat(server.asked).isEmpty();
  }

  @Test
  void aThreadThatIsInterruptedWhileItWaitsStops() {
    WorkflowClient interrupted =
        new WorkflowClient(
            new ApiClient(
                server, new Endpoints(List.of(URI.create("http://10.0.0.1:7700"))), () -> null),
            time -> {
              throw new InterruptedException();
            });
    server.fail("/steps", lost());

    assertThatThrownBy(() -> interrupted.submit(graph(), null, SubmissionListener.NONE))
        .hasMessageContaining("did not answer");
    assertThat(Thread.interrupted()).isTrue();
    assertThatThrownBy(() -> interrupted.submit(graph(), null, SubmissionListener.NONE))
        .hasMessageContaining("workflow 17 is being checked");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void listsAreFilteredAndActionsPosted() {
    workflows.list(WorkflowState.FAILED, "a b", 9L, 20);
    workflows.limit(17, new WorkflowLimit(null, "fetch"));
    workflows.retry(17);
    workflows.delete(17);

    assertThat(server.asked)
        .containsExactly(
            "GET /v1/workflows?limit=20&state=failed&name=a%20b&before=9",
            "POST /v1/workflows/17/limit",
            "POST /v1/workflows/17/retry",
            "DELETE /v1/workflows/17");
    assertThat(server.bodies.get(1)).isEqualTo("{\"template\":\"fetch\"}");
  }

  private WorkflowView submit() {
    return workflows.submit(graph(), "monday", new Told());
  }

  private static WorkflowGraph graph() {
    WorkflowGraph graph = new WorkflowGraph("nightly");
    TemplateDraft sum = graph.template("sum", JobDraft.command("sum", "{n}").spec());
    for (int i = 0; i < STEPS; i++) {
      graph.step("s" + i, sum, Map.of("n", String.valueOf(i)));
    }
    return graph;
  }

  private final class Told implements SubmissionListener {
    @Override
    public void opened(WorkflowView workflow, boolean created) {
      told.add(created ? "created" : "existed");
    }

    @Override
    public void bound(WorkflowView workflow, int listed) {
      told.add(workflow.progress().bound() + " of " + listed);
    }

    @Override
    public void unanswered(MillraceException failure, Duration pause) {
      told.add(failure.code() + " after which " + pause.toMillis() + "ms");
    }
  }

  // --- what a server does with a call instead of answering it

  private interface Happening {
    HttpAnswer happen(Supplier<HttpAnswer> carryOut) throws IOException;
  }

  /** It is carried out, but the answer never arrives. */
  private static Happening lost() {
    return carryOut -> {
      carryOut.get();
      throw new IOException("connection reset");
    };
  }

  private static Happening down() {
    return carryOut -> {
      throw new NothingSentException("nobody listens", null);
    };
  }

  private static Happening ok() {
    return Supplier::get;
  }

  private static Happening answer(int status, String type, String body) {
    return carryOut ->
        new HttpAnswer(status, Map.of("content-type", type), body.getBytes(StandardCharsets.UTF_8));
  }

  private static Happening refusal(ErrorCode code, String words) {
    return answer(code.status(), Problem.MEDIA_TYPE, Json.write(Problem.of(code, words)));
  }

  /** Binds a workflow as a central manager does. */
  private static final class FakeServer implements HttpTransport {
    private final List<String> asked = new ArrayList<>();
    private final List<String> bodies = new ArrayList<>();
    private final List<String> keys = new ArrayList<>();
    private final Map<String, Deque<Happening>> happenings = new TreeMap<>();
    private WorkflowSubmission submission;
    private WorkflowIdentity identity;
    private WorkflowState state = WorkflowState.BINDING;
    private SubmissionOutcome outcome;
    private int bound;
    private int looks;
    // The chunk before which another client sends the same one.
    private int beforeChunk = -1;

    FakeServer fail(String pathEnd, Happening... these) {
      happenings.computeIfAbsent(pathEnd, key -> new ArrayDeque<>()).addAll(List.of(these));
      return this;
    }

    @Override
    public HttpAnswer send(HttpCall call) throws IOException {
      String query = call.uri().getRawQuery();
      String path = call.uri().getPath();
      asked.add(call.method() + " " + path + (query == null ? "" : "?" + query));
      bodies.add(new String(call.body(), StandardCharsets.UTF_8));
      if (call.method().equals("POST") && path.equals("/v1/workflows")) {
        keys.add(call.headers().get("Idempotency-Key"));
      }
      Deque<Happening> queue =
          happenings.entrySet().stream()
              .filter(one -> path.endsWith(one.getKey()))
              .map(Map.Entry::getValue)
              .findFirst()
              .orElseGet(ArrayDeque::new);
      Happening next = queue.isEmpty() ? ok() : queue.poll();
      return next.happen(() -> answered(call, path));
    }

    private HttpAnswer answered(HttpCall call, String path) {
      boolean created = false;
      if (path.endsWith("/steps")) {
        take(Json.read(call.body(), StepChunk.class));
      } else if (path.endsWith("/commit")) {
        state = WorkflowState.CHECKING;
      } else if (path.endsWith("/wait") && state == WorkflowState.CHECKING && ++looks > 1) {
        state = WorkflowState.RUNNING;
      } else if (path.equals("/v1/workflows") && call.method().equals("POST")) {
        created = submission == null;
        if (created) {
          submission = Json.read(call.body(), WorkflowSubmission.class);
          identity = new WorkflowIdentity(submission.workflow(), submission.runKey());
        }
      }
      return new HttpAnswer(
          created ? 201 : 200,
          Map.of("content-type", "application/json"),
          Json.writeBytes(
              call.method().equals("GET") && path.equals("/v1/workflows") ? Map.of() : view()));
    }

    private void take(StepChunk chunk) {
      if (beforeChunk >= 0 && bound == beforeChunk * StepChunk.MAX) {
        beforeChunk = -1;
        take(chunk);
      }
      if (chunk.first() == bound) {
        chunk.steps().forEach(identity::add);
        bound += chunk.steps().size();
      }
    }

    private WorkflowView view() {
      return new WorkflowView(
              17,
              "nightly",
              "monday",
              "ann",
              state,
              false,
              null,
              1,
              new StepProgress(STEPS, bound, STEPS, 0, 0, 0, 0),
              null,
              Instant.EPOCH,
              null,
              null)
          .withOutcome(outcome);
    }

    @Override
    public InputStream stream(HttpCall call) throws IOException {
      return new ByteArrayInputStream(send(call).orThrow().body());
    }
  }
}
