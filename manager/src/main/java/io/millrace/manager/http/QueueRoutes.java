package io.millrace.manager.http;

import static io.millrace.manager.http.CommonParameters.NODE;
import static io.millrace.manager.http.CommonParameters.QUEUE;
import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.DeadEvent.ChangedDeadEvent;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.api.event.QueueActionAnswer.PurgeRequest;
import io.millrace.api.insight.FailureGroups;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.manager.definition.DefinitionDeletions;
import io.millrace.manager.insight.QueueCatalog;
import io.millrace.manager.queue.QueueControls;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.queue.QueueEvents;
import io.millrace.manager.queue.QueueEvents.Found;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Queues: their figures and decisions, and actions on a queue and its events over all its segments.
 * Lists of events name in a header the nodes that did not answer, and where the next page begins.
 */
public final class QueueRoutes {
  /** Names of the queue nodes that did not answer, joined by commas. */
  static final String UNREACHED = "Millrace-Unreached";

  /** What to send as {@code before} for the next page. */
  static final String NEXT = "Millrace-Next";

  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_LIMIT = 1_000;
  private static final RequestParameter<Long> LIMIT =
      CommonParameters.limit(DEFAULT_LIMIT, MAX_LIMIT);
  private static final RequestParameter<Long> BEFORE_DECISION =
      RequestParameter.optionalNumber(
          "before", "the number of the last decision already read", 0, Long.MAX_VALUE);
  private static final RequestParameter<Instant> FROM =
      RequestParameter.instant("from", "only decisions from this time on");
  private static final RequestParameter<Instant> TO =
      RequestParameter.instant("to", "with from: only decisions before this time; now if absent");
  private static final RequestParameter<String> BEFORE =
      RequestParameter.text("before", "the header Millrace-Next of the previous page");
  private static final RequestParameter<String> STATE =
      RequestParameter.choice(
          "state", "which events", "ready", List.of("ready", "delayed", "leased"));

  private static final RequestParameter<String> HANDLE =
      RequestParameter.text("handle", "the dead letter, as the list shows it");

  private final QueueCatalog catalog;
  private final QueueEvents events;
  private final QueueControls controls;
  private final DefinitionDeletions deletions;
  private final Runnable changed;

  /**
   * The routes.
   *
   * @param changed called after a queue was paused or resumed; a hint
   */
  public QueueRoutes(
      QueueCatalog catalog,
      QueueEvents events,
      QueueControls controls,
      DefinitionDeletions deletions,
      Runnable changed) {
    this.catalog = catalog;
    this.events = events;
    this.controls = controls;
    this.deletions = deletions;
    this.changed = changed;
  }

  public List<Route> routes() {
    List<Route> routes = new ArrayList<>(lookups());
    routes.addAll(actions());
    return List.copyOf(routes);
  }

  private List<Route> lookups() {
    return List.of(
        Route.get("/v1/queues", Role.readers(), ctx -> Requests.answer(ctx, catalog.views()))
            .described(
                named("listQueues", "Every queue with its statistics")
                    .answersListOf(QueueView.class)),
        Route.get(
                "/v1/queues/{queue}",
                Role.readers(),
                ctx -> MaskedAnswers.answer(ctx, details(queue(ctx))))
            .described(
                named("showQueue", "Definition, segments, managers, workers and last failure")
                    .reads(QUEUE)
                    .answers(QueueDetails.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE)),
        Route.get("/v1/queues/{queue}/decisions", Role.readers(), this::decisions)
            .described(
                named("listPacingDecisions", "The decisions of a queue's managers, newest first")
                    .reads(QUEUE, NODE, FROM, TO, BEFORE_DECISION, LIMIT)
                    .answersListOf(PacingDecisionView.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE)),
        Route.get("/v1/queues/{queue}/dead", Role.readers(), this::dead)
            .described(
                named("listDeadLetters", "Dead letters of all segments, newest first")
                    .reads(QUEUE, BEFORE, LIMIT)
                    .answersListOf(DeadEvent.class)
                    .with(NEXT, "what to send as before for the next page")
                    .with(UNREACHED, "nodes that did not answer, separated by commas")
                    .refuses(ErrorCode.UNKNOWN_QUEUE)),
        Route.get(
                "/v1/queues/{queue}/dead/groups",
                Role.readers(),
                ctx -> Requests.answer(ctx, events.deadGroups(queue(ctx), Requests.principal(ctx))))
            .described(
                named("groupDeadLetters", "Dead letters of all segments, grouped by cause")
                    .reads(QUEUE)
                    .answers(FailureGroups.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE)),
        Route.get("/v1/queues/{queue}/peek", Role.readers(), this::peek)
            .described(
                named("peekEvents", "Unfinished events in delivery order, without leasing them")
                    .reads(QUEUE, STATE, LIMIT)
                    .answersListOf(PeekedEvent.class)
                    .with(UNREACHED, "nodes that did not answer, separated by commas")
                    .refuses(ErrorCode.UNKNOWN_QUEUE)));
  }

  private List<Route> actions() {
    Set<Role> operators = Role.operators();
    return List.of(
        Route.post("/v1/queues/{queue}/dead/requeue", operators, this::requeue)
            .described(
                named("requeueDeadLetters", "Requeues dead letters")
                    .reads(QUEUE)
                    .takes(DeadSelection.class)
                    .answers(QueueActionAnswer.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE)),
        Route.post("/v1/queues/{queue}/dead/requeue-changed", operators, this::requeueChanged)
            .described(
                named("requeueChangedDeadLetter", "Requeues a dead letter with other data")
                    .reads(QUEUE, HANDLE)
                    .takesMedia(EventMedia.JSON, EventMedia.LINES, EventMedia.ENVELOPES)
                    .answers(ChangedDeadEvent.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_DEAD_LETTER)
                    .refuses(ErrorCode.UNREACHABLE)),
        Route.post("/v1/queues/{queue}/dead/drop", operators, this::drop)
            .described(
                named("dropDeadLetters", "Deletes dead letters")
                    .reads(QUEUE)
                    .takes(DeadSelection.class)
                    .answers(QueueActionAnswer.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE)),
        Route.post("/v1/queues/{queue}/purge", operators, this::purge)
            .described(
                named("purgeQueue", "Deletes waiting, delayed and dead events")
                    .reads(QUEUE)
                    .takes(PurgeRequest.class)
                    .answers(QueueActionAnswer.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE)),
        Route.post("/v1/queues/{queue}/pause", operators, this::pause)
            .described(
                named("pauseQueue", "Pauses sending, consuming or both")
                    .reads(QUEUE)
                    .takes(PauseRequest.class)
                    .answers(QueueControl.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE)),
        Route.post("/v1/queues/{queue}/resume", operators, this::resume)
            .described(
                named("resumeQueue", "Resumes sending, consuming or both")
                    .reads(QUEUE)
                    .takes(PauseRequest.class)
                    .answers(QueueControl.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE)));
  }

  private QueueDetails details(String queue) {
    QueueDetails details = catalog.details(queue);
    return deletions.inProgress(QueueKind.KEYWORD, queue).map(details::with).orElse(details);
  }

  private void decisions(Context ctx) {
    Long given = Requests.value(ctx, BEFORE_DECISION);
    Long before = given == null || given == 0 ? null : given;
    String node = Requests.value(ctx, NODE);
    Instant from = Requests.value(ctx, FROM);
    Instant to = Requests.value(ctx, TO);
    if (from == null && to != null) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "'to' is given without 'from'; add it");
    }
    Requests.answer(
        ctx,
        from == null
            ? catalog.decisions(queue(ctx), node, before, limit(ctx))
            : catalog.decisions(queue(ctx), node, from, to, before, limit(ctx)));
  }

  private void dead(Context ctx) {
    answer(
        ctx,
        events.dead(queue(ctx), limit(ctx), Requests.value(ctx, BEFORE), Requests.principal(ctx)));
  }

  private void peek(Context ctx) {
    String state = Requests.value(ctx, STATE);
    answer(ctx, events.peek(queue(ctx), limit(ctx), state, Requests.principal(ctx)));
  }

  private void requeue(Context ctx) {
    DeadSelection selection = Requests.json(ctx, DeadSelection.class);
    Requests.answer(ctx, events.requeue(queue(ctx), selection, Requests.principal(ctx)));
  }

  private void requeueChanged(Context ctx) {
    String handle = Requests.value(ctx, HANDLE);
    if (handle == null) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "handle is missing; the list of dead letters shows it");
    }
    String media = ctx.contentType() == null ? EventMedia.JSON : ctx.contentType();
    Requests.answer(
        ctx,
        events.requeueChanged(
            queue(ctx), handle, media, Requests.body(ctx), Requests.principal(ctx)));
  }

  private void drop(Context ctx) {
    DeadSelection selection = Requests.json(ctx, DeadSelection.class);
    Requests.answer(ctx, events.drop(queue(ctx), selection, Requests.principal(ctx)));
  }

  private void purge(Context ctx) {
    PurgeRequest request = Requests.json(ctx, PurgeRequest.class);
    Requests.answer(ctx, events.purge(queue(ctx), request, Requests.principal(ctx)));
  }

  private void pause(Context ctx) {
    PauseRequest request = Requests.json(ctx, PauseRequest.class);
    changed(ctx, controls.pause(queue(ctx), request, actor(ctx)));
  }

  private void resume(Context ctx) {
    PauseRequest request = Requests.json(ctx, PauseRequest.class);
    changed(ctx, controls.resume(queue(ctx), request, actor(ctx)));
  }

  private void changed(Context ctx, QueueControl control) {
    changed.run();
    Requests.answer(ctx, control);
  }

  private static void answer(Context ctx, Found<?> found) {
    if (!found.unreached().isEmpty()) {
      ctx.header(UNREACHED, String.join(",", found.unreached()));
    }
    if (found.next() != null) {
      ctx.header(NEXT, found.next());
    }
    Requests.answer(ctx, found.events());
  }

  private static int limit(Context ctx) {
    return (int) (long) Requests.value(ctx, LIMIT);
  }

  private static String queue(Context ctx) {
    return Requests.value(ctx, QUEUE);
  }

  private static String actor(Context ctx) {
    return Requests.principal(ctx).subject();
  }
}
