package io.millrace.queuenode.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.DeadEvent.ChangedDeadEvent;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.Lease;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.api.event.QueueActionAnswer.PurgeRequest;
import io.millrace.api.event.ReceiptAnswer;
import io.millrace.api.event.ReceiptAnswer.Acknowledgement;
import io.millrace.api.event.ReceiptAnswer.Extension;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.event.EventBodies;
import io.millrace.platform.event.EventDefaults;
import io.millrace.platform.event.SentEvent;
import io.millrace.platform.http.BatchNames;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.SendParameters;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import io.millrace.queuenode.segment.SegmentActions;
import io.millrace.queuenode.segment.SegmentActions.DeadPage;
import io.millrace.queuenode.segment.SegmentService;
import io.millrace.queuenode.segment.SessionSegments;
import io.millrace.queuenode.segment.StoredLease;
import io.millrace.queuenode.store.EventState;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.Receipt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The routes of a queue node. */
public final class SegmentRoutes {
  private static final Set<Role> SENDERS =
      EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.PRODUCER, Role.LOAD_BALANCER);
  private static final Set<Role> TAKERS = EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.WORKER);
  private static final RequestParameter<String> QUEUE =
      RequestParameter.pathText("queue", "the queue's name");
  private static final int SOME_REFUSED = 207;
  private static final int TOO_MANY = 429;

  private final SegmentService segments;
  private final SessionSegments sessions;
  private final ActionRoutes actions;
  private final BatchNames names;
  private final ReceiptRequests requests = new ReceiptRequests();

  /** Routes of a node without queues of sessions. */
  public SegmentRoutes(SegmentService segments, Clock clock) {
    this(segments, SessionSegments.NONE, clock);
  }

  /** Routes of a node that may have queues of sessions. */
  public SegmentRoutes(SegmentService segments, SessionSegments sessions, Clock clock) {
    this.segments = segments;
    this.sessions = sessions;
    this.actions = new ActionRoutes(segments.actions());
    this.names = new BatchNames(clock);
  }

  public List<Route> routes() {
    Set<Role> watchers = EnumSet.copyOf(Role.readers());
    watchers.add(Role.EXECUTION_NODE);
    List<Route> routes = new ArrayList<>(actions.routes());
    routes.addAll(eventRoutes(watchers));
    return List.copyOf(routes);
  }

  private List<Route> eventRoutes(Set<Role> watchers) {
    return List.of(
        Route.post("/v1/queues/{queue}/events", SENDERS, this::send)
            .described(
                named("sendEvents", "Stores a batch of events in this node's segment")
                    .reads(QUEUE, SendParameters.BATCH)
                    .reads(SendParameters.DELAY, SendParameters.PRIORITY)
                    .takesMedia(EventMedia.JSON, EventMedia.LINES, EventMedia.ENVELOPES)
                    .answers(SendAnswer.class)
                    .answers(SOME_REFUSED, SendAnswer.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.QUEUE_DELETING)
                    .refuses(ErrorCode.STALE_SLOT, ErrorCode.DUPLICATE, ErrorCode.SESSIONS_FULL)
                    .refuses(ErrorCode.QUEUE_FULL, ErrorCode.RATE_LIMITED)
                    .refuses(ErrorCode.QUEUE_PAUSED, ErrorCode.NO_SEGMENT, ErrorCode.DISK_FULL)
                    .refuses(ErrorCode.STORE_FAILURE)),
        Route.post("/v1/queues/{queue}/leases", TAKERS, this::lease)
            .described(
                named("leaseEvents", "Leases events, with a receipt for each delivery")
                    .reads(QUEUE)
                    .takes(LeaseRequest.class)
                    .answers(Lease.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.STORE_FAILURE)),
        Route.post("/v1/queues/{queue}/acks", TAKERS, this::acknowledge)
            .described(
                named("acknowledgeEvents", "Acknowledges events")
                    .reads(QUEUE)
                    .takes(Acknowledgement.class)
                    .answers(ReceiptAnswer.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.STORE_FAILURE)),
        Route.post("/v1/queues/{queue}/nacks", TAKERS, this::refuse)
            .described(
                named("returnEvents", "Returns events, as failed or unfinished")
                    .reads(QUEUE)
                    .takes(Refusal.class)
                    .answers(ReceiptAnswer.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.STORE_FAILURE)),
        Route.post("/v1/queues/{queue}/extensions", TAKERS, this::extend)
            .described(
                named("extendLeases", "Extends leases")
                    .reads(QUEUE)
                    .takes(Extension.class)
                    .answers(ReceiptAnswer.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.STORE_FAILURE)),
        Route.get("/v1/segments", watchers, ctx -> Requests.answer(ctx, segments.figures()))
            .described(
                named("listSegments", "Statistics of every segment")
                    .answersListOf(SegmentFigures.class)),
        Route.get("/v1/segments/{queue}", watchers, this::figures)
            .described(
                named("showSegment", "Statistics of one segment")
                    .reads(QUEUE)
                    .answers(SegmentFigures.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SEGMENT)));
  }

  private void send(Context ctx) {
    String batch = names.orNew(Requests.value(ctx, SendParameters.BATCH));
    EventDefaults defaults = new EventDefaults(batch, delayMillis(ctx), priority(ctx));
    String queue = Requests.value(ctx, QUEUE);
    List<SentEvent> sent = sent(ctx, defaults);
    List<NewEvent> events = sent.stream().map(SegmentRoutes::event).toList();
    if (sessions.ofSessions(queue)) {
      List<Long> epochs = sent.stream().map(SentEvent::slotEpoch).toList();
      answer(ctx, sessions.put(queue, batch, events, epochs));
    } else {
      Requests.answer(ctx, segments.put(queue, batch, events));
    }
  }

  private static void answer(Context ctx, SendAnswer answer) {
    Requests.answer(ctx, answer);
    if (!answer.refused().isEmpty()) {
      ctx.status(SOME_REFUSED);
      if (answer.refused().stream().anyMatch(one -> one.code().status() == TOO_MANY)) {
        ctx.header("Retry-After", "1");
      }
    }
  }

  private static List<SentEvent> sent(Context ctx, EventDefaults defaults) {
    return EventBodies.read(ctx.contentType(), Requests.body(ctx), defaults);
  }

  private static List<NewEvent> events(Context ctx, EventDefaults defaults) {
    return sent(ctx, defaults).stream().map(SegmentRoutes::event).toList();
  }

  private static NewEvent event(SentEvent sent) {
    return new NewEvent(
        sent.id(), sent.data(), sent.attributesText(), sent.priority(), sent.delayMillis());
  }

  private static long delayMillis(Context ctx) {
    Duration delay = Requests.value(ctx, SendParameters.DELAY);
    if (delay.isNegative() || delay.compareTo(EventDefaults.LONGEST_DELAY) > 0) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          EventMedia.DELAY_PARAMETER
              + " is at most "
              + Durations.format(EventDefaults.LONGEST_DELAY));
    }
    return delay.toMillis();
  }

  private static int priority(Context ctx) {
    return (int) (long) Requests.value(ctx, SendParameters.PRIORITY);
  }

  private void lease(Context ctx) {
    String queue = ownQueue(ctx);
    LeaseRequest request = requests.lease(ctx);
    StoredLease batch = segments.lease(queue, ReceiptRequests.atOnce(request));
    if (batch.events().isEmpty() && ReceiptRequests.isPatient(request)) {
      // Thousands may wait, so none of them occupies a thread.
      ctx.future(() -> segments.leaseLater(queue, request).thenAccept(late -> answer(ctx, late)));
    } else {
      answer(ctx, batch);
    }
  }

  private static void answer(Context ctx, StoredLease batch) {
    ctx.contentType("application/json").result(LeaseText.write(batch));
  }

  private void acknowledge(Context ctx) {
    String queue = ownQueue(ctx);
    Requests.answer(ctx, segments.acknowledge(queue, requests.acknowledgement(ctx)));
  }

  private void refuse(Context ctx) {
    String queue = ownQueue(ctx);
    ReceiptRequests.Refused refused = requests.refusal(ctx);
    Requests.answer(ctx, segments.refuse(queue, refused.receipts(), refused.refusal()));
  }

  private void extend(Context ctx) {
    String queue = ownQueue(ctx);
    ReceiptRequests.Extended extended = requests.extension(ctx);
    Requests.answer(ctx, segments.extend(queue, extended.receipts(), extended.lease()));
  }

  private void figures(Context ctx) {
    Requests.answer(ctx, segments.figures(Requests.value(ctx, QUEUE)));
  }

  /** The queue of the path; a worker's token is valid for its own queue only. */
  private static String ownQueue(Context ctx) {
    String queue = Requests.value(ctx, QUEUE);
    if (!Requests.principal(ctx).mayTouch(queue)) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "the token of " + Requests.principal(ctx).subject() + " is not for queue " + queue);
    }
    return queue;
  }

  /** Reads lease requests and rejects values out of bounds. Stateless. */
  private static final class ReceiptRequests {
    private static final int MOST = 10_000;
    private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);
    private static final Duration LONGEST_DELAY = Duration.ofDays(7);

    record Refused(List<Receipt> receipts, Refusal refusal) {}

    record Extended(List<Receipt> receipts, Duration lease) {}

    LeaseRequest lease(Context ctx) {
      LeaseRequest request = Requests.json(ctx, LeaseRequest.class);
      require(request.max() >= 1 && request.max() <= MOST, "max must be from 1 to " + MOST);
      within("lease", request.lease(), SHORTEST_LEASE, LONGEST_LEASE);
      // A longer patience is shortened, not refused: the caller asks again anyway.
      within("patience", request.patience(), Duration.ZERO, LONGEST_LEASE);
      return request;
    }

    /** Whether the caller waits for a first event. */
    static boolean isPatient(LeaseRequest request) {
      return request.patience() != null && !request.patience().isZero();
    }

    /** The same request without patience. */
    static LeaseRequest atOnce(LeaseRequest request) {
      return new LeaseRequest(request.max(), request.lease(), null, request.worker());
    }

    List<Receipt> acknowledgement(Context ctx) {
      return receipts(Requests.json(ctx, Acknowledgement.class).receipts());
    }

    Refused refusal(Context ctx) {
      Refusal refusal = Requests.json(ctx, Refusal.class);
      RefusalKind kind = refusal.kind();
      // EXCUSED cannot be chosen by callers.
      require(
          kind == RefusalKind.FAILED || kind == RefusalKind.RETURNED, "kind is FAILED or RETURNED");
      within("delay", refusal.delay(), Duration.ZERO, LONGEST_DELAY);
      return new Refused(receipts(refusal.receipts()), refusal);
    }

    Extended extension(Context ctx) {
      Extension extension = Requests.json(ctx, Extension.class);
      within("lease", extension.lease(), SHORTEST_LEASE, LONGEST_LEASE);
      return new Extended(receipts(extension.receipts()), extension.lease());
    }

    private static List<Receipt> receipts(List<String> texts) {
      require(texts != null && texts.size() <= MOST, "receipts is a list of at most " + MOST);
      return texts.stream().map(Receipt::parse).toList();
    }

    private static void within(String name, Duration given, Duration min, Duration max) {
      require(
          given == null || (given.compareTo(min) >= 0 && given.compareTo(max) <= 0),
          name + " is " + Durations.format(min) + " to " + Durations.format(max));
    }

    private static void require(boolean kept, String rule) {
      if (!kept) {
        throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
      }
    }
  }

  /** The routes by which operators view and change the events of this node. */
  private static final class ActionRoutes {
    private static final Set<Role> OPERATORS = EnumSet.of(Role.ADMIN, Role.OPERATOR);
    private static final RequestParameter<String> HANDLE =
        RequestParameter.text("handle", "the dead letter, as the list shows it");
    private static final int MOST = 1_000;
    private static final int USUAL = 100;

    private static final RequestParameter<Long> BEFORE =
        RequestParameter.number(
            "before", "the number of the last one already read", Long.MAX_VALUE, 0, Long.MAX_VALUE);
    private static final RequestParameter<Long> LIMIT =
        RequestParameter.number("limit", "the most entries to list", USUAL, 1, MOST);
    private static final RequestParameter<String> STATE =
        RequestParameter.choice(
            "state", "which events", "ready", List.of("ready", "delayed", "leased"));

    private final SegmentActions actions;

    ActionRoutes(SegmentActions actions) {
      this.actions = actions;
    }

    List<Route> routes() {
      return List.of(
          Route.get("/v1/queues/{queue}/dead", Role.readers(), this::dead)
              .described(
                  named("listDeadLetters", "This node's dead letters, newest first")
                      .reads(QUEUE, BEFORE, LIMIT)
                      .answersListOf(DeadEvent.class)
                      .with(EventMedia.NEXT_HEADER, "what to send as before for the next page")
                      .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.STORE_FAILURE)),
          Route.post("/v1/queues/{queue}/dead/requeue", OPERATORS, this::requeue)
              .described(
                  named("requeueDeadLetters", "Requeues dead letters")
                      .reads(QUEUE)
                      .takes(DeadSelection.class)
                      .answers(QueueActionAnswer.class)
                      .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.STORE_FAILURE)),
          Route.post("/v1/queues/{queue}/dead/requeue-changed", OPERATORS, this::requeueChanged)
              .described(
                  named("requeueChangedDeadLetter", "Requeues a dead letter with other data")
                      .reads(QUEUE, HANDLE)
                      .takesMedia(EventMedia.JSON, EventMedia.LINES, EventMedia.ENVELOPES)
                      .answers(ChangedDeadEvent.class)
                      .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_DEAD_LETTER)
                      .refuses(ErrorCode.STORE_FAILURE)),
          Route.post("/v1/queues/{queue}/dead/drop", OPERATORS, this::drop)
              .described(
                  named("dropDeadLetters", "Deletes dead letters")
                      .reads(QUEUE)
                      .takes(DeadSelection.class)
                      .answers(QueueActionAnswer.class)
                      .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.STORE_FAILURE)),
          Route.get("/v1/queues/{queue}/peek", Role.readers(), this::peek)
              .described(
                  named("peekEvents", "Unfinished events, without leasing them")
                      .reads(QUEUE, STATE, LIMIT)
                      .answersListOf(PeekedEvent.class)
                      .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.STORE_FAILURE)),
          Route.post("/v1/queues/{queue}/purge", OPERATORS, this::purge)
              .described(
                  named("purgeQueue", "Deletes waiting, delayed and dead events")
                      .reads(QUEUE)
                      .takes(PurgeRequest.class)
                      .answers(QueueActionAnswer.class)
                      .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.STORE_FAILURE)));
    }

    private void dead(Context ctx) {
      long before = Requests.value(ctx, BEFORE);
      DeadPage page = actions.dead(queue(ctx), before, limit(ctx));
      page.next().ifPresent(number -> ctx.header(EventMedia.NEXT_HEADER, Long.toString(number)));
      Requests.answer(ctx, page.events());
    }

    private void requeue(Context ctx) {
      Requests.answer(ctx, actions.requeue(queue(ctx), Requests.json(ctx, DeadSelection.class)));
    }

    private void requeueChanged(Context ctx) {
      List<NewEvent> events = SegmentRoutes.events(ctx, EventDefaults.of("changed"));
      String handle = Requests.value(ctx, HANDLE);
      if (handle == null || events.size() != 1) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            "send one event with the changed data as the body, and the dead letter's handle as handle");
      }
      Requests.answer(ctx, actions.requeueChanged(queue(ctx), handle, events.get(0)));
    }

    private void drop(Context ctx) {
      Requests.answer(ctx, actions.drop(queue(ctx), Requests.json(ctx, DeadSelection.class)));
    }

    private void peek(Context ctx) {
      Requests.answer(ctx, actions.peek(queue(ctx), state(ctx), limit(ctx)));
    }

    private void purge(Context ctx) {
      Requests.answer(ctx, actions.purge(queue(ctx), Requests.json(ctx, PurgeRequest.class)));
    }

    private static EventState state(Context ctx) {
      return EventState.valueOf(Requests.value(ctx, STATE).toUpperCase(Locale.ROOT));
    }

    private static int limit(Context ctx) {
      return (int) (long) Requests.value(ctx, LIMIT);
    }

    private static String queue(Context ctx) {
      return Requests.value(ctx, QUEUE);
    }
  }
}
