package io.millrace.loadbalancer.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.loadbalancer.forward.Batch;
import io.millrace.loadbalancer.forward.Forwarder;
import io.millrace.loadbalancer.forward.StreamSender;
import io.millrace.loadbalancer.session.SessionForwarder;
import io.millrace.loadbalancer.session.SessionStreams;
import io.millrace.platform.http.BatchNames;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.SendParameters;
import io.millrace.platform.identity.Role;
import io.millrace.platform.lifecycle.ByteBudget;
import io.millrace.platform.openapi.RequestParameter;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Takes events from producers: lines as a stream of any length, everything else buffered, up to the
 * server's limit.
 */
public final class EventRoutes {
  private static final Set<Role> SENDERS = EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.PRODUCER);
  private static final Set<String> STREAMED = Set.of(EventMedia.LINES, EventMedia.ENVELOPES);
  private static final long SHORT_BODY = 1L << 20;
  private static final int SOME_REFUSED = 207;

  private static final RequestParameter<String> QUEUE =
      RequestParameter.pathText("queue", "the queue's name");

  private final Forwarder forwarder;
  private final StreamSender streams;
  private final SessionForwarder sessions;
  private final SessionStreams sessionStreams;
  private final BodyMemory memory;
  private final BatchNames names;
  private final RequestMeters meters;

  public EventRoutes(
      Forwarder forwarder,
      StreamSender streams,
      SessionForwarder sessions,
      BodyMemory memory,
      BatchNames names,
      RequestMeters meters) {
    this.forwarder = forwarder;
    this.streams = streams;
    this.sessions = sessions;
    this.sessionStreams = new SessionStreams(sessions);
    this.memory = memory;
    this.names = names;
    this.meters = meters;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/queues/{queue}/events", SENDERS, this::send)
            .described(
                named(
                        "sendEvents",
                        "Sends a batch of events, all or none; of a queue of sessions, each for itself")
                    .reads(QUEUE, SendParameters.BATCH)
                    .reads(SendParameters.DELAY, SendParameters.PRIORITY)
                    .takesMedia(EventMedia.JSON, EventMedia.LINES, EventMedia.ENVELOPES)
                    .answers(SendAnswer.class)
                    .answers(SOME_REFUSED, SendAnswer.class)
                    .refuses(ErrorCode.SESSIONS_FULL, ErrorCode.DUPLICATE, ErrorCode.TIMEOUT)
                    .refuses(
                        ErrorCode.UNKNOWN_QUEUE,
                        ErrorCode.QUEUE_DELETING,
                        ErrorCode.QUEUE_FULL,
                        ErrorCode.RATE_LIMITED,
                        ErrorCode.QUEUE_PAUSED,
                        ErrorCode.NO_SEGMENT,
                        ErrorCode.DISK_FULL,
                        ErrorCode.STORE_FAILURE))
            .streamed());
  }

  private void send(Context ctx) {
    SendAnswer answer = meters.measured(Requests.value(ctx, QUEUE), () -> sent(ctx));
    if (!answer.refused().isEmpty()) {
      ctx.status(SOME_REFUSED);
    }
    Requests.answer(ctx, answer);
  }

  private SendAnswer sent(Context ctx) {
    Batch batch = batch(ctx);
    if (sessions.serves(batch.queue())) {
      return sentBySlot(ctx, batch);
    }
    // Checked before the body is read, so that nothing is uploaded that is refused anyway.
    forwarder.check(batch);
    long length = ctx.req().getContentLengthLong();
    return STREAMED.contains(withoutParameters(batch.mediaType()))
        ? stream(ctx, batch, length)
        : buffered(ctx, batch, length);
  }

  private SendAnswer sentBySlot(Context ctx, Batch batch) {
    sessions.check(batch.queue());
    long length = ctx.req().getContentLengthLong();
    if (!STREAMED.contains(withoutParameters(batch.mediaType()))) {
      requireShort(batch, length);
      long most = length < 0 ? memory.largestBody() : length;
      return BodyMemory.holding(
          memory.bodies(),
          most + SessionForwarder.memory(most),
          () -> sessions.forward(batch.of(Requests.body(ctx))));
    }
    InputStream body = Requests.stream(ctx);
    boolean brief = isBrief(length);
    return BodyMemory.holding(
        brief ? memory.bodies() : memory.streams(),
        brief ? length + SessionForwarder.memory(length) : SessionStreams.MEMORY,
        () -> sessionStreams.send(batch, body, length));
  }

  private static boolean isBrief(long length) {
    return length >= 0 && length <= SHORT_BODY;
  }

  private SendAnswer stream(Context ctx, Batch batch, long length) {
    boolean brief = isBrief(length);
    // A body is held once while it is read and once while its parts are sent.
    ByteBudget budget = brief ? memory.bodies() : memory.streams();
    // Refused at once if too many bodies are arriving; only those that may be read wait for memory.
    InputStream body = Requests.stream(ctx);
    return BodyMemory.holding(
        budget, brief ? 2 * length : StreamSender.MEMORY, () -> streams.send(batch, body, length));
  }

  private SendAnswer buffered(Context ctx, Batch batch, long length) {
    requireShort(batch, length);
    // Twice, because the rest of a body is copied while it grows.
    return BodyMemory.holding(
        memory.bodies(),
        2 * (length < 0 ? memory.largestBody() : length),
        () -> forwarder.forward(batch.of(Requests.body(ctx))));
  }

  private void requireShort(Batch batch, long length) {
    if (length > memory.largestBody()) {
      throw new MillraceException(
          ErrorCode.BODY_TOO_LARGE,
          "a body of "
              + batch.mediaType()
              + " has at most "
              + memory.largestBody()
              + " bytes; send "
              + EventMedia.LINES
              + ", which may be of any length, or smaller batches");
    }
  }

  private Batch batch(Context ctx) {
    String batchName = Requests.value(ctx, SendParameters.BATCH);
    String mediaType = ctx.contentType() == null ? EventMedia.JSON : ctx.contentType();
    boolean repeatable = batchName != null && !batchName.isBlank();
    return new Batch(
        Requests.value(ctx, QUEUE),
        names.orNew(batchName),
        repeatable,
        mediaType,
        query(ctx),
        new byte[0]);
  }

  /** What events get that do not say it themselves; empty for the usual values. */
  private static String query(Context ctx) {
    Duration delay = Requests.value(ctx, SendParameters.DELAY);
    long priority = Requests.value(ctx, SendParameters.PRIORITY);
    List<String> query = new ArrayList<>();
    if (!delay.isZero()) {
      query.add(SendParameters.DELAY.name() + "=" + ApiClient.encode(Durations.format(delay)));
    }
    if (priority != 0) {
      query.add(SendParameters.PRIORITY.name() + "=" + priority);
    }
    return query.isEmpty() ? "" : "?" + String.join("&", query);
  }

  private static String withoutParameters(String mediaType) {
    int parameters = mediaType.indexOf(';');
    String type = parameters < 0 ? mediaType : mediaType.substring(0, parameters);
    return type.strip().toLowerCase(Locale.ROOT);
  }
}
