package io.millrace.manager.http;

import static io.millrace.manager.http.CommonParameters.QUEUE;
import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.session.SessionWorkerToken;
import io.millrace.manager.queue.SessionWorkerTokens;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The route at which session workers get their tokens. An operator gets one for a program; a
 * worker's attempt gets the next one of its own, if it knows its secret, which no queue node knows.
 */
public final class SessionTokenRoutes {
  private static final Set<Role> TAKERS = EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.WORKER);

  private final SessionWorkerTokens tokens;
  private final Handler ofAttempt;

  public SessionTokenRoutes(SessionWorkerTokens tokens, AttemptProofs proofs) {
    this.tokens = tokens;
    this.ofAttempt =
        proofs.only(
            SessionTokenRoutes::attempt,
            attempt -> attempt,
            (ctx, attempt) ->
                Requests.answer(ctx, tokens.ofJob(Requests.value(ctx, QUEUE), attempt)));
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/queues/{queue}/session-workers/token", TAKERS, this::issue)
            .described(
                named("issueSessionWorkerToken", "A token for the queue's session workers")
                    .reads(QUEUE, AttemptProofs.SECRET)
                    .answers(SessionWorkerToken.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SESSION)));
  }

  private void issue(Context ctx) throws Exception {
    Principal caller = Requests.principal(ctx);
    String queue = Requests.value(ctx, QUEUE);
    if (!caller.mayTouch(queue)) {
      throw forbidden(caller, "is not for queue " + queue);
    }
    tokens.requireSessions(queue);
    if (caller.role() == Role.WORKER) {
      ofAttempt.handle(ctx);
    } else {
      Requests.answer(ctx, tokens.outside(queue, caller));
    }
  }

  private static AttemptId attempt(Context ctx) {
    Principal caller = Requests.principal(ctx);
    return caller
        .attempt()
        .orElseThrow(() -> forbidden(caller, "is renewed with the token by which it was got"));
  }

  private static MillraceException forbidden(Principal caller, String why) {
    return new MillraceException(
        ErrorCode.FORBIDDEN, "the token of %s %s".formatted(caller.subject(), why));
  }
}
