package io.millrace.manager.pacing;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.client.ProgramContext;
import io.millrace.api.client.ProgramContext.CommandAnswer;
import io.millrace.api.client.QueueClient;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.api.pacing.PacingRound;
import io.millrace.api.pacing.PacingRound.PacedDecision;
import io.millrace.api.pacing.PacingRound.PacingAnswer;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.pacing.PacingRound.PacingRoundAnswer;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.SegmentFigures;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A central manager and a queue node behind one transport, and the context of one attempt. */
final class FakeCluster implements HttpTransport, ProgramContext {
  static final URI CENTRAL = URI.create("http://central:1");
  static final URI SEGMENT = URI.create("http://node:2");

  PacingView view;
  SegmentFigures figures;
  boolean centralAway;
  boolean stale;
  final List<PacingRecord> records = new ArrayList<>();
  final List<PacingRound> rounds = new ArrayList<>();
  CommandAnswer commandAnswer;
  final List<JobSpec> commands = new ArrayList<>();
  final List<String> printed = new ArrayList<>();
  final List<Duration> pauses = new ArrayList<>();
  int pausesBeforeStop = Integer.MAX_VALUE;
  long nanos = 1;

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    boolean central = call.uri().getHost().equals("central");
    if (central ? centralAway : figures == null) {
      throw new NothingSentException(call.uri().getHost() + " refused the connection", null);
    }
    if (!central) {
      return json(figures);
    }
    return json(round(Json.read(call.body(), PacingRound.class)));
  }

  private PacingRoundAnswer round(PacingRound round) {
    rounds.add(round);
    List<PacingAnswer> refused = new ArrayList<>();
    round.decisions().forEach(decision -> record(decision, refused));
    return new PacingRoundAnswer(
        refused,
        round.views().stream()
            .map(asked -> new PacingAnswer(asked.queue(), asked.node(), null, view, null))
            .toList());
  }

  /** As the central manager does: what was recorded last is in the next view. */
  private void record(PacedDecision decision, List<PacingAnswer> refused) {
    PacingRecord record = decision.decision();
    if (stale) {
      Problem problem = Problem.of(ErrorCode.STALE_ATTEMPT, "attempt 7.1 is not the current one");
      refused.add(
          new PacingAnswer(decision.queue(), decision.node(), record.attempt(), null, problem));
      return;
    }
    records.add(record);
    view = next(record.start(), record.state(), view.now(), view.control());
  }

  /** What operators pause from now on; null for nothing. */
  void control(QueueControl control) {
    view = next(0, view.state(), view.stateAt(), control);
  }

  private PacingView next(int started, JsonNode state, Instant stateAt, QueueControl control) {
    return new PacingView(
        view.queue(),
        view.definitionVersion(),
        view.segment(),
        view.nodeState(),
        view.starting() + started,
        view.running(),
        view.queueOutstanding() + started,
        view.started(),
        view.finished(),
        view.failedRuns(),
        view.startLatencySeconds(),
        view.runSeconds(),
        state,
        stateAt,
        control,
        view.now());
  }

  private static HttpAnswer json(Object value) {
    return new HttpAnswer(200, Map.of("content-type", "application/json"), Json.writeBytes(value));
  }

  @Override
  public InputStream stream(HttpCall call) {
    throw new UnsupportedOperationException("nothing is streamed");
  }

  @Override
  public AttemptId attempt() {
    return new AttemptId(7, 1);
  }

  @Override
  public List<String> arguments() {
    return List.of("alert", "q1");
  }

  @Override
  public CentralClient central() {
    return new CentralClient(new ApiClient(this, new Endpoints(List.of(CENTRAL)), () -> null));
  }

  @Override
  public QueueClient queueNode(String name, URI address) {
    return new QueueClient(new ApiClient(this, new Endpoints(List.of(address)), () -> null));
  }

  @Override
  public String secret() {
    return "secret";
  }

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public void pause(Duration time) throws InterruptedException {
    if (pauses.size() == pausesBeforeStop) {
      throw new InterruptedException("stopped");
    }
    pauses.add(time);
    nanos += time.toNanos();
  }

  @Override
  public Map<String, String> environment() {
    return Map.of();
  }

  @Override
  public CommandAnswer command(JobSpec how) {
    commands.add(how);
    return commandAnswer;
  }

  @Override
  public void print(String line) {
    printed.add(line);
  }
}
