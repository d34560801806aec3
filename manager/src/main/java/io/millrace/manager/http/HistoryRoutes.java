package io.millrace.manager.http;

import static io.millrace.manager.http.CommonParameters.QUEUE;
import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.FigureHistory;
import io.millrace.manager.sample.FigureHistories;
import io.millrace.manager.sample.SampledKind;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/** How the figures of queues and nodes changed over a span of time. */
public final class HistoryRoutes {
  private static final long DEFAULT_MINUTES = 60;
  private static final long MAX_MINUTES = Duration.ofDays(30).toMinutes();
  private static final RequestParameter<Long> MINUTES =
      RequestParameter.optionalNumber(
          "minutes",
          "length of the span before to, instead of from; "
              + DEFAULT_MINUTES
              + " if neither is given",
          1,
          MAX_MINUTES);
  private static final RequestParameter<Instant> FROM =
      RequestParameter.instant("from", "the beginning of the span");
  private static final RequestParameter<Instant> TO =
      RequestParameter.instant("to", "the end of the span; now if absent");
  private static final RequestParameter<String> NODE =
      RequestParameter.pathText("name", "the node's name");

  private final FigureHistories histories;
  private final Consumer<String> queueExists;
  private final Consumer<String> queueNodeExists;
  private final Consumer<String> executionNodeExists;

  /**
   * The routes.
   *
   * @param queueExists throws UNKNOWN_QUEUE
   * @param queueNodeExists throws UNKNOWN_NODE
   * @param executionNodeExists throws UNKNOWN_NODE
   */
  public HistoryRoutes(
      FigureHistories histories,
      Consumer<String> queueExists,
      Consumer<String> queueNodeExists,
      Consumer<String> executionNodeExists) {
    this.histories = histories;
    this.queueExists = queueExists;
    this.queueNodeExists = queueNodeExists;
    this.executionNodeExists = executionNodeExists;
  }

  public List<Route> routes() {
    return List.of(
        Route.get(
                "/v1/queues/{queue}/history",
                Role.readers(),
                ctx -> answer(ctx, SampledKind.QUEUE, QUEUE, queueExists))
            .described(
                named("showQueueHistory", "The statistics of a queue over a span of time")
                    .reads(QUEUE, FROM, TO, MINUTES)
                    .answers(FigureHistory.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE)),
        Route.get(
                "/v1/queue-nodes/{name}/history",
                Role.readers(),
                ctx -> answer(ctx, SampledKind.QUEUE_NODE, NODE, queueNodeExists))
            .described(
                named("showQueueNodeHistory", "The load of a queue node over a span of time")
                    .reads(NODE, FROM, TO, MINUTES)
                    .answers(FigureHistory.class)
                    .refuses(ErrorCode.UNKNOWN_NODE)),
        Route.get(
                "/v1/execution-nodes/{name}/history",
                Role.readers(),
                ctx -> answer(ctx, SampledKind.EXECUTION_NODE, NODE, executionNodeExists))
            .described(
                named(
                        "showExecutionNodeHistory",
                        "What of an execution node was booked over a span of time")
                    .reads(NODE, FROM, TO, MINUTES)
                    .answers(FigureHistory.class)
                    .refuses(ErrorCode.UNKNOWN_NODE)));
  }

  private void answer(
      Context ctx, SampledKind kind, RequestParameter<String> which, Consumer<String> exists) {
    String name = Requests.value(ctx, which);
    Instant from = Requests.value(ctx, FROM);
    Long minutes = Requests.value(ctx, MINUTES);
    if (from != null && minutes != null) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "give from or minutes, not both: each says where to begin");
    }
    Duration length = Duration.ofMinutes(minutes == null ? DEFAULT_MINUTES : minutes);
    FigureHistory history = histories.of(kind, name, from, Requests.value(ctx, TO), length);
    // The history of what no longer exists can be read while it is kept.
    if (history.samples().isEmpty()) {
      exists.accept(name);
    }
    Requests.answer(ctx, history);
  }
}
