package io.millrace.executor.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.agent.HeldAttempts;
import io.millrace.executor.run.AttemptRun;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.LogExcerpt;
import io.millrace.executor.supervision.LogStream;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.StreamPlaces;
import io.millrace.platform.http.StreamPlaces.StreamPlace;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * {@code GET /v1/attempts/{attempt}/logs/{stream}?offset=&follow=}: an attempt's output as bytes.
 *
 * <p>The file is found by the attempt's id only; no part of a path comes from the request.
 */
public final class AttemptLogRoutes {
  /** The response header with the offset in the output at which the body begins. */
  public static final String OFFSET_HEADER = "Millrace-Offset";

  // Each uses a thread of the server until the attempt ends.
  private static final int MAX_FOLLOWERS = 64;
  private static final int MAX_OF_CALLER = 32;

  private static final RequestParameter<AttemptId> ATTEMPT =
      RequestParameter.pathValue(
          "attempt", "the attempt, JOB.NUMBER", "an attempt such as 17.1", AttemptId::parse);
  private static final RequestParameter<String> STREAM =
      RequestParameter.pathChoice("stream", "which output", List.of("stdout", "stderr"));
  private static final RequestParameter<Long> OFFSET =
      RequestParameter.number("offset", "where to begin, in bytes", 0, 0, Long.MAX_VALUE);
  private static final RequestParameter<Boolean> FOLLOW =
      RequestParameter.flag("follow", "continues until the attempt ends");

  private final Path attempts;
  private final HeldAttempts held;
  private final StreamPlaces followers = new StreamPlaces(MAX_FOLLOWERS, MAX_OF_CALLER);

  /**
   * Serves the logs below a folder.
   *
   * @param attempts the parent of all attempts' directories
   * @param held tells which attempts have not ended
   */
  public AttemptLogRoutes(Path attempts, HeldAttempts held) {
    this.attempts = attempts;
    this.held = held;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/attempts/{attempt}/logs/{stream}", Role.readers(), this::logs)
            .described(
                named("readAttemptLog", "The output of an attempt")
                    .reads(ATTEMPT, STREAM, OFFSET, FOLLOW)
                    .answersMedia("application/octet-stream")
                    .with(OFFSET_HEADER, "the offset in the output at which the body begins")
                    .refuses(ErrorCode.UNKNOWN_ATTEMPT, ErrorCode.UNAVAILABLE)));
  }

  private void logs(Context ctx) throws IOException, InterruptedException, ExecutionException {
    AttemptDirectory directory = new AttemptDirectory(attempts, Requests.value(ctx, ATTEMPT));
    LogStream stream = LogStream.valueOf(Requests.value(ctx, STREAM).toUpperCase(Locale.ROOT));
    long offset = Requests.value(ctx, OFFSET);
    boolean follow = Requests.value(ctx, FOLLOW);
    boolean here = Files.isDirectory(directory.path());
    if (!here && held.run(directory.id()).isEmpty()) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_ATTEMPT,
          "attempt "
              + directory.id()
              + " is not on this node, or its logs were deleted after their retention time");
    }
    LogCopy copy = new LogCopy(directory, stream, offset);
    ctx.contentType("application/octet-stream");
    ctx.header(OFFSET_HEADER, Long.toString(copy.position()));
    // The servlet's stream, because Javalin's does not forward a flush.
    OutputStream out = ctx.res().getOutputStream();
    if (follow) {
      try (StreamPlace place = followers.take(Requests.principal(ctx))) {
        copy.follow(out, held, place);
      }
    } else {
      copy.copyOnce(out);
    }
  }

  /**
   * Copies one output of an attempt to one reader. Used by one thread.
   *
   * <p>Its position counts the bytes written by the program; the line that replaces a dropped part
   * is not counted.
   */
  private static final class LogCopy {
    private static final int PIECE = 64 * 1024;
    private static final long POLL_MILLIS = 200;

    private final AttemptDirectory directory;
    private final LogStream stream;
    private long position;

    /** Begins at the offset, or at the current end of the output if that is lower. */
    LogCopy(AttemptDirectory directory, LogStream stream, long offset) throws IOException {
      this.directory = directory;
      this.stream = stream;
      this.position = directory.read(stream, offset, 1).offset();
    }

    /** The offset of the next byte. */
    long position() {
      return position;
    }

    /** Copies what exists now, but not what the attempt adds meanwhile. */
    void copyOnce(OutputStream out) throws IOException {
      copyTo(directory.read(stream, position, 1).size(), out);
    }

    /**
     * Copies until the attempt has ended, or the place is needed: readers that have disconnected
     * are noticed only at the next output.
     */
    void follow(OutputStream out, HeldAttempts held, StreamPlace place)
        throws IOException, InterruptedException, ExecutionException {
      boolean live = true;
      while (live) {
        if (place.ended()) {
          return;
        }
        // Checked before copying, so that nothing written before the end is missed.
        Optional<AttemptRun> run = held.run(directory.id()).filter(one -> !one.result().isDone());
        live = run.isPresent();
        copyTo(Long.MAX_VALUE, out);
        out.flush();
        if (live) {
          await(run.get());
        }
      }
    }

    private void copyTo(long end, OutputStream out) throws IOException {
      while (position < end) {
        int max = (int) Math.min(PIECE, end - position);
        LogExcerpt excerpt = directory.read(stream, position, max);
        byte[] bytes = excerpt.bytes();
        if (bytes.length == 0) {
          return;
        }
        out.write(bytes);
        position = excerpt.next();
      }
    }

    private static void await(AttemptRun run) throws InterruptedException, ExecutionException {
      try {
        run.result().get(POLL_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException stillRunning) {
        return;
      }
    }
  }
}
