package io.millrace.manager.http;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.pacing.PacingRound;
import io.millrace.api.pacing.PacingRound.PacedDecision;
import io.millrace.api.pacing.PacingRound.PacingAnswer;
import io.millrace.api.task.RunStep;
import io.millrace.platform.http.Requests;
import io.millrace.platform.identity.AttemptSecrets;
import io.millrace.platform.openapi.RequestParameter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The only place that checks the secrets of attempts: a handler behind it sees only what the
 * attempt itself asks for. A request of one attempt has the secret in a header; a round of all
 * queue managers of a node has one beside each decision. Whether the attempt may still act is
 * decided in the transaction of the change. Thread-safe; never blocks.
 */
public final class AttemptProofs {
  /** The header of requests of one attempt. */
  static final RequestParameter<String> SECRET =
      RequestParameter.header(RunStep.SECRET_HEADER, "the secret of the attempt");

  private final AttemptSecrets secrets;

  public AttemptProofs(AttemptSecrets secrets) {
    this.secrets = secrets;
  }

  /** Handles a request whose attempt has proven itself. */
  @FunctionalInterface
  interface ProvenHandler<T> {
    void handle(Context ctx, T request) throws Exception;
  }

  /**
   * A handler that only the attempt of a request reaches; others are answered FORBIDDEN.
   *
   * @param read reads the request
   * @param attempt of whom the request speaks
   */
  <T> Handler only(
      Function<Context, T> read, Function<T, AttemptId> attempt, ProvenHandler<T> handler) {
    return ctx -> {
      T request = read.apply(ctx);
      secrets.require(attempt.apply(request), Requests.value(ctx, SECRET));
      handler.handle(ctx, request);
    };
  }

  /** A handler that sees only those decisions of a round whose attempts have proven themselves. */
  Handler each(ProvenHandler<ProvenRound> handler) {
    return ctx -> {
      PacingRound round = Requests.json(ctx, PacingRound.class);
      List<PacedDecision> proven = new ArrayList<>();
      List<PacingAnswer> refused = new ArrayList<>();
      for (PacedDecision one : round.decisions()) {
        AttemptId attempt = one.decision().attempt();
        try {
          secrets.require(attempt, one.secret());
          proven.add(one);
        } catch (MillraceException e) {
          refused.add(new PacingAnswer(one.queue(), one.node(), attempt, null, e.problem()));
        }
      }
      handler.handle(ctx, new ProvenRound(new PacingRound(proven, round.views()), refused));
    };
  }

  /**
   * A round after the check.
   *
   * @param round with the proven decisions only
   * @param refused the answers to the others
   */
  record ProvenRound(PacingRound round, List<PacingAnswer> refused) {}
}
