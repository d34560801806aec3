package io.millrace.api.client;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.insight.ProblemSilence;
import io.millrace.api.insight.ProblemSilence.SilenceRequest;
import java.util.List;

/**
 * The silences of problems, typed. Every method blocks, and throws a {@link
 * io.millrace.api.MillraceException} with the server's problem or UNREACHABLE. Thread-safe.
 */
public final class SilenceClient {
  private static final String ALL = "/v1/problems/silences";

  private final ApiClient api;

  SilenceClient(ApiClient api) {
    this.api = api;
  }

  /** Those in force. */
  public List<ProblemSilence> inForce() {
    return List.of(api.get(ALL).as(ProblemSilence[].class));
  }

  /** Silences problems for a time. */
  public ProblemSilence add(SilenceRequest request) {
    return api.post(ALL, request).as(ProblemSilence.class);
  }

  /** Ends a silence before its time. */
  public ProblemSilence lift(long id) {
    return api.delete(path(ALL + "/%s", Long.toString(id))).as(ProblemSilence.class);
  }
}
