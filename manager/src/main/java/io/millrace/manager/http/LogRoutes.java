package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobView;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.job.RestorationDao.Restoration;
import io.millrace.manager.node.ExecutionNodes;
import io.millrace.manager.node.NodeAddress;
import io.millrace.manager.node.NodeRow;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.http.StreamPlaces;
import io.millrace.platform.http.StreamPlaces.StreamPlace;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams a job's output from the execution node that stores it. The node is found by the attempt's
 * id; no part of an address comes from the caller.
 */
public final class LogRoutes {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogRoutes.class);

  // Each takes a thread of the server for as long as the attempt runs.
  private static final int MAX_STREAMS = 64;
  private static final int MAX_OF_CALLER = 32;
  private static final Duration FIRST_BYTE = Duration.ofSeconds(30);

  private static final RequestParameter<Long> ID =
      RequestParameter.pathNumber("id", "the job's number", 1);
  private static final RequestParameter<Long> ATTEMPT =
      RequestParameter.number(
          "attempt", "which attempt; 0 for the last one", 0, 0, Integer.MAX_VALUE);
  private static final RequestParameter<String> STREAM =
      RequestParameter.choice("stream", "which output", "stdout", List.of("stdout", "stderr"));
  private static final RequestParameter<Long> OFFSET =
      RequestParameter.number("offset", "where to begin, in bytes", 0, 0, Long.MAX_VALUE);
  private static final RequestParameter<Boolean> FOLLOW =
      RequestParameter.flag("follow", "continues until the attempt ends");

  private final JobQueries queries;
  private final ExecutionNodes nodes;
  private final SignedCalls calls;
  private final StreamPlaces places = new StreamPlaces(MAX_STREAMS, MAX_OF_CALLER);

  /** The node is called in the name of the user who asks for a log. */
  public LogRoutes(JobQueries queries, ExecutionNodes nodes, SignedCalls calls) {
    this.queries = queries;
    this.nodes = nodes;
    this.calls = calls;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/jobs/{id}/logs", Role.readers(), this::logs)
            .described(
                named("readJobLog", "The output of a job")
                    .reads(ID, ATTEMPT, STREAM, OFFSET, FOLLOW)
                    .answersMedia("application/octet-stream")
                    .refuses(
                        ErrorCode.UNKNOWN_JOB,
                        ErrorCode.UNKNOWN_ATTEMPT,
                        ErrorCode.UNREACHABLE,
                        ErrorCode.UNAVAILABLE)));
  }

  private void logs(Context ctx) throws IOException {
    String stream = Requests.value(ctx, STREAM);
    long offset = Requests.value(ctx, OFFSET);
    boolean follow = Requests.value(ctx, FOLLOW);
    AttemptId attempt = attempt(ctx);
    NodeRow node = node(attempt);
    String path = path(attempt, stream, offset, follow);
    try (StreamPlace place = places.take(Requests.principal(ctx))) {
      try (InputStream log = open(ctx, node, attempt, path)) {
        // The node may be silent, and the reader gone.
        place.atEnd(() -> end(log));
        ctx.contentType("application/octet-stream").header("X-Accel-Buffering", "no");
        // The servlet's stream: Javalin's does not forward a flush.
        copy(log, ctx.res().getOutputStream(), follow ? Requests.admission(ctx) : () -> true);
      } catch (IOException e) {
        if (!place.ended()) {
          throw e;
        }
        LOGGER.debug("the log of job attempt {} ended, because its place was needed", attempt, e);
      }
    }
  }

  /** Interrupts the thread that reads the log. */
  private static void end(InputStream log) {
    try {
      log.close();
    } catch (IOException e) {
      LOGGER.debug("a log that is no longer wanted could not be closed", e);
    }
  }

  private AttemptId attempt(Context ctx) {
    JobView job = queries.view(Requests.value(ctx, ID));
    int wanted = (int) (long) Requests.value(ctx, ATTEMPT);
    if (job.attempt() == 0) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_ATTEMPT,
          "job %d is %s and has not been started yet"
              .formatted(job.id(), MessageText.of(job.state())));
    }
    if (wanted > job.attempt()) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_ATTEMPT,
          "job %d has no attempt %d; it has %d %s"
              .formatted(
                  job.id(), wanted, job.attempt(), job.attempt() == 1 ? "attempt" : "attempts"));
    }
    return new AttemptId(job.id(), wanted == 0 ? job.attempt() : wanted);
  }

  private NodeRow node(AttemptId attempt) {
    return queries
        .nodeOf(attempt)
        .map(nodes::require)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.UNKNOWN_ATTEMPT, "attempt " + attempt + " has been deleted"));
  }

  private static String path(AttemptId attempt, String stream, long offset, boolean follow) {
    return ApiClient.path(
        "/v1/attempts/%s/logs/%s?offset=%s&follow=%s", attempt, stream, offset, follow);
  }

  private InputStream open(Context ctx, NodeRow node, AttemptId attempt, String path) {
    HttpCall call =
        HttpCall.get(NodeAddress.of(node.name(), node.address(), path)).within(FIRST_BYTE);
    try {
      return calls.to(Role.EXECUTION_NODE, node.name(), Requests.principal(ctx)).stream(call);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.UNREACHABLE,
          "the log is on node %s, which does not answer at %s"
              .formatted(node.name(), node.address()),
          e);
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.UNKNOWN_ATTEMPT) {
        throw queries
            .restorationOf(attempt)
            .map(restoration -> notInBackup(attempt, node, restoration, e))
            .orElse(e);
      }
      if (!SignedCalls.refusesServer(e)) {
        throw e;
      }
      throw new MillraceException(
          ErrorCode.UNREACHABLE,
          "the log is on node %s, but the server at %s refuses the call: %s"
              .formatted(node.name(), node.address(), e.getMessage()),
          e);
    }
  }

  private static MillraceException notInBackup(
      AttemptId attempt, NodeRow node, Restoration restoration, MillraceException cause) {
    return new MillraceException(
        ErrorCode.UNKNOWN_ATTEMPT,
        "the output of attempt %1$s is not on node %2$s: this database was restored at %3$s from a backup, and backups contain no output of jobs. Unless its retention time has passed, it is in attempts/%1$s of the data directory that %2$s had in the replaced cluster; to get it again, run the job again"
            .formatted(attempt, node.name(), restoration.restoredAt()),
        cause);
  }

  // Flushed after each read, so that followers see lines as they are written; one whose session has
  // ended sees no more.
  private static void copy(InputStream from, OutputStream to, BooleanSupplier admitted)
      throws IOException {
    byte[] buffer = new byte[8192];
    to.flush();
    for (int read = from.read(buffer);
        read >= 0 && admitted.getAsBoolean();
        read = from.read(buffer)) {
      to.write(buffer, 0, read);
      to.flush();
    }
  }
}
