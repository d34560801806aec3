package io.millrace.queuenode.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.StreamPlaces;
import io.millrace.platform.http.StreamPlaces.StreamPlace;
import io.millrace.platform.openapi.RequestParameter;
import io.millrace.queuenode.segment.SegmentResponses;
import io.millrace.queuenode.session.SessionService;
import io.millrace.queuenode.session.WorkerStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams events to session workers, one answer on each line. A worker reports results by polls
 * that ask for no events, and is heard of only by these: a stream to a worker that does not report
 * waits, or a process that stands still would seem to work. Each takes a thread. Thread-safe.
 */
final class SessionStreamRoute {
  private static final Logger LOGGER = LoggerFactory.getLogger(SessionStreamRoute.class);
  private static final int MAX_STREAMS = 64;
  private static final int MAX_OF_CALLER = 48;

  private static final Duration KEPT_ALIVE = Duration.ofSeconds(5);
  // How soon the end of a token is noticed while nothing is looked for.
  private static final Duration STEP = Duration.ofSeconds(1);
  private static final RequestParameter<Long> MAX =
      RequestParameter.number("max", "the most events on one line", 1_000, 1, 10_000);

  private final SessionService sessions;
  private final StreamPlaces places = new StreamPlaces(MAX_STREAMS, MAX_OF_CALLER);

  SessionStreamRoute(SessionService sessions) {
    this.sessions = sessions;
  }

  Route route() {
    return Route.get(
            "/v1/queues/{queue}/session-workers/{worker}/stream",
            NodeSessionRoutes.WORKERS,
            this::stream)
        .described(
            named(
                    "streamSessions",
                    "Events of a worker's sessions as they come, a line for each answer")
                .reads(
                    NodeSessionRoutes.QUEUE,
                    NodeSessionRoutes.WORKER,
                    NodeSessionRoutes.INCARNATION,
                    MAX)
                .answersMedia(EventMedia.LINES)
                .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)
                .refuses(ErrorCode.UNKNOWN_WORKER, ErrorCode.STORE_FAILURE));
  }

  private void stream(Context ctx) throws IOException {
    String queue = NodeSessionRoutes.ownQueue(ctx);
    UUID worker = Requests.value(ctx, NodeSessionRoutes.WORKER);
    UUID incarnation = Requests.value(ctx, NodeSessionRoutes.INCARNATION);
    int max = (int) (long) Requests.value(ctx, MAX);
    try (StreamPlace place = places.take(Requests.principal(ctx));
        WorkerStream stream = sessions.polls().stream(queue, worker, incarnation)) {
      place.atEnd(stream::end);
      // A refusal is an answer of its own; after the first line it only ends the stream.
      PollAnswered first = SegmentResponses.of(stream.next(max, Duration.ZERO));
      ctx.contentType(EventMedia.LINES).header("X-Accel-Buffering", "no");
      // The servlet's stream: Javalin's does not forward a flush.
      OutputStream out = ctx.res().getOutputStream();
      write(out, first);
      BooleanSupplier admitted = Requests.admission(ctx);
      follow(stream, queue, max, out, () -> !stream.ended() && admitted.getAsBoolean());
    }
  }

  private void follow(
      WorkerStream stream, String queue, int max, OutputStream out, BooleanSupplier goesOn)
      throws IOException {
    try {
      while (goesOn.getAsBoolean() && sessions.open()) {
        if (stream.silence().compareTo(longestSilence(queue)) <= 0) {
          write(out, SegmentResponses.of(stream.next(max, KEPT_ALIVE)));
        } else {
          pause(stream, queue, goesOn);
          out.write('\n');
          out.flush();
        }
      }
    } catch (MillraceException ended) {
      LOGGER.debug("a stream of sessions of {} ends", queue, ended);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Duration longestSilence(String queue) {
    return sessions.heartbeat(queue).multipliedBy(5).dividedBy(4);
  }

  /**
   * Waits until the worker has reported, at most a part of a heartbeat: each look of the stream
   * counts as a heartbeat of the worker.
   */
  private void pause(WorkerStream stream, String queue, BooleanSupplier goesOn)
      throws InterruptedException {
    Duration left = sessions.heartbeat(queue).dividedBy(4);
    while (left.compareTo(Duration.ZERO) > 0
        && stream.silence().compareTo(longestSilence(queue)) > 0
        && goesOn.getAsBoolean()) {
      Duration step = left.compareTo(STEP) < 0 ? left : STEP;
      stream.pause(step);
      left = left.minus(step);
    }
  }

  /** A line; a blank one if there is nothing, by which a reader who went away is noticed. */
  private static void write(OutputStream out, PollAnswered answer) throws IOException {
    boolean empty = answer.sessions().isEmpty() && answer.revoked().isEmpty() && !answer.leave();
    if (!empty) {
      out.write(Json.writeBytes(answer));
    }
    out.write('\n');
    out.flush();
  }
}
