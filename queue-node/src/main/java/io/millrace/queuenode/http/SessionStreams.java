package io.millrace.queuenode.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.StreamPlaces;
import io.millrace.platform.http.StreamPlaces.StreamPlace;
import io.millrace.platform.lifecycle.Waiter;
import io.millrace.platform.openapi.RequestParameter;
import io.millrace.queuenode.segment.SegmentResponses;
import io.millrace.queuenode.session.SessionService;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams events to session workers, one answer on each line. A worker reports results by polls
 * that ask for no events, and is heard of only by these: a stream to a worker that does not report
 * waits, or a process that stands still would seem to work. Each takes a thread. Thread-safe.
 */
final class SessionStreams {
  private static final Logger LOGGER = LoggerFactory.getLogger(SessionStreams.class);
  private static final int MAX_STREAMS = 64;
  private static final int MAX_OF_CALLER = 48;

  // So that they differ from those of the worker's own polls.
  private static final long FIRST_POLL = 1L << 40;

  private static final Duration KEPT_ALIVE = Duration.ofSeconds(5);
  private static final RequestParameter<Long> MAX =
      RequestParameter.number("max", "the most events on one line", 1_000, 1, 10_000);

  private record WorkerOfQueue(String queue, UUID worker) {}

  private final SessionService sessions;
  private final Clock clock;
  private final StreamPlaces places = new StreamPlaces(MAX_STREAMS, MAX_OF_CALLER);
  // Of open streams only.
  private final Map<WorkerOfQueue, Long> heard = new ConcurrentHashMap<>();

  SessionStreams(SessionService sessions, Clock clock) {
    this.sessions = sessions;
    this.clock = clock;
  }

  Route route() {
    return Route.get(
            "/v1/queues/{queue}/session-workers/{worker}/stream",
            SessionRoutes.WORKERS,
            this::stream)
        .described(
            named("streamSessions", "Events of a worker's sessions as they come, a line for each answer")
                .reads(
                    SessionRoutes.QUEUE, SessionRoutes.WORKER, SessionRoutes.INCARNATION, MAX)
                .answersMedia(EventMedia.LINES)
                .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                .refuses(ErrorCode.UNKNOWN_WORKER, ErrorCode.STORE_FAILURE));
  }

  /** A worker has polled. */
  void heard(String queue, UUID worker) {
    heard.computeIfPresent(new WorkerOfQueue(queue, worker), (key, at) -> clock.nanoTime());
  }

  private void stream(Context ctx) throws IOException {
    String queue = SessionRoutes.ownQueue(ctx);
    UUID worker = Requests.value(ctx, SessionRoutes.WORKER);
    UUID incarnation = Requests.value(ctx, SessionRoutes.INCARNATION);
    int max = (int) (long) Requests.value(ctx, MAX);
    WorkerOfQueue key = new WorkerOfQueue(queue, worker);
    try (StreamPlace place = places.take(Requests.principal(ctx))) {
      heard.put(key, clock.nanoTime());
      // A refusal is an answer of its own; after the first line it only ends the stream.
      PollAnswered first = poll(key, incarnation, FIRST_POLL, max, Duration.ZERO);
      ctx.contentType(EventMedia.LINES).header("X-Accel-Buffering", "no");
      OutputStream out = ctx.res().getOutputStream();
      write(out, first);
      BooleanSupplier admitted = Requests.admission(ctx);
      follow(key, incarnation, first, max, out, () -> !place.ended() && admitted.getAsBoolean());
    } finally {
      heard.remove(key);
    }
  }

  private void follow(
      WorkerOfQueue key,
      UUID incarnation,
      PollAnswered first,
      int max,
      OutputStream out,
      BooleanSupplier goesOn)
      throws IOException {
    long next = first.poll() + 1;
    try {
      while (goesOn.getAsBoolean() && sessions.open()) {
        PollAnswered answer =
            isHeard(key)
                ? poll(key, incarnation, next, max, KEPT_ALIVE)
                : pause(next, key.queue());
        write(out, answer);
        next++;
      }
    } catch (MillraceException ended) {
      LOGGER.debug("the stream of {} ends", key, ended);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private PollAnswered pause(long number, String queue) throws InterruptedException {
    new Waiter().await(sessions.heartbeat(queue).dividedBy(4));
    return new PollAnswered(number, List.of(), List.of(), List.of(), false);
  }

  private boolean isHeard(WorkerOfQueue key) {
    Long last = heard.get(key);
    return last != null
        && clock.nanoTime() - last <= sessions.heartbeat(key.queue()).toNanos() * 5 / 4;
  }

  private PollAnswered poll(
      WorkerOfQueue key, UUID incarnation, long number, int max, Duration patience) {
    SessionPoll poll = new SessionPoll(incarnation, number, max, patience, List.of());
    return SegmentResponses.of(sessions.polls().poll(key.queue(), key.worker(), poll));
  }

  /** A line; a blank one if there is nothing, by which a reader who went away is noticed. */
  private static void write(OutputStream out, PollAnswered answer) throws IOException {
    boolean empty =
        answer.sessions().isEmpty() && answer.revoked().isEmpty() && !answer.leave();
    if (!empty) {
      out.write(Json.writeBytes(answer));
    }
    out.write('\n');
    out.flush();
  }
}
