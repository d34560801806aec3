package io.millrace.executor.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.agent.HeldAttempts;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.LogStream;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;

/**
 * {@code GET /v1/attempts/{attempt}/logs/{stream}?offset=&follow=}: an attempt's output as bytes.
 *
 * <p>The attempt's id alone leads to the file; no part of a path comes from outside.
 */
public final class AttemptLogRoutes {
  /** The answer's header that tells at which byte of the output its body begins. */
  public static final String OFFSET_HEADER = "Millrace-Offset";

  // Each takes a thread of the server until the attempt ends.
  private static final int MOST_FOLLOWERS = 64;

  private final Path attempts;
  private final HeldAttempts held;
  private final Semaphore followers = new Semaphore(MOST_FOLLOWERS);

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
    return List.of(Route.get("/v1/attempts/{attempt}/logs/{stream}", Role.lookers(), this::logs));
  }

  private void logs(Context ctx) throws IOException, InterruptedException, ExecutionException {
    AttemptDirectory directory = new AttemptDirectory(attempts, attempt(ctx));
    LogStream stream = stream(ctx);
    long offset = Requests.number(ctx, "offset", 0, 0, Long.MAX_VALUE);
    boolean follow = Requests.flag(ctx, "follow");
    boolean here = Files.isDirectory(directory.path());
    if (!here && held.run(directory.id()).isEmpty()) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_ATTEMPT,
          "attempt "
              + directory.id()
              + " is not on this node, or its logs were deleted when their time was over");
    }
    LogCopy copy = new LogCopy(directory, stream, offset);
    ctx.contentType("application/octet-stream");
    ctx.header(OFFSET_HEADER, Long.toString(copy.position()));
    // The servlet's own stream: Javalin's does not pass a flush on.
    OutputStream out = ctx.res().getOutputStream();
    if (follow) {
      follow(out, copy);
    } else {
      copy.copyOnce(out);
    }
  }

  private void follow(OutputStream out, LogCopy copy)
      throws IOException, InterruptedException, ExecutionException {
    if (!followers.tryAcquire()) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "this node has " + MOST_FOLLOWERS + " followers already; ask without follow");
    }
    try {
      copy.follow(out, held);
    } finally {
      followers.release();
    }
  }

  private static AttemptId attempt(Context ctx) {
    try {
      return AttemptId.parse(ctx.pathParam("attempt"));
    } catch (IllegalArgumentException e) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, e.getMessage(), e);
    }
  }

  private static LogStream stream(Context ctx) {
    return switch (ctx.pathParam("stream")) {
      case "stdout" -> LogStream.STDOUT;
      case "stderr" -> LogStream.STDERR;
      default ->
          throw new MillraceException(
              ErrorCode.INVALID_REQUEST, "the stream is stdout or stderr, not another");
    };
  }
}
