package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.HttpTransport.AnswerTooLargeException;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.job.AttemptId;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.node.ExecutionNodes;
import io.millrace.manager.node.NodeRow;
import io.millrace.manager.task.RunService.ChunkOutput;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Reads a job's output from the execution node that keeps it. Thread-safe. */
public final class LoggedOutput implements ChunkOutput {
  private static final Duration READ_WITHIN = Duration.ofMinutes(1);
  private static final long MAX_OUTPUT = 32L << 20;
  private static final int MAX_CHUNKS = 1_000_000;
  private static final int LONGEST_CHUNK = 1_000;

  private final JobQueries queries;
  private final ExecutionNodes nodes;
  private final SignedCalls calls;
  private final Principal self;

  /**
   * The output of jobs on these nodes.
   *
   * @param self this central manager
   */
  public LoggedOutput(JobQueries queries, ExecutionNodes nodes, SignedCalls calls, Principal self) {
    this.queries = queries;
    this.nodes = nodes;
    this.calls = calls;
    this.self = self;
  }

  @Override
  public List<String> lines(long job) {
    AttemptId attempt = new AttemptId(job, queries.view(job).attempt());
    NodeRow node =
        queries
            .nodeOf(attempt)
            .map(nodes::require)
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.UNKNOWN_ATTEMPT,
                        "the output of attempt " + attempt + " is no longer kept"));
    String path = ApiClient.path("/v1/attempts/%s/logs/stdout?offset=0&follow=false", attempt);
    HttpCall call =
        HttpCall.get(node.address().resolve(URI.create(path)))
            .within(READ_WITHIN)
            .answeredWithin(MAX_OUTPUT);
    String output;
    try {
      output = calls.to(Role.EXECUTION_NODE, node.name(), self).send(call).orThrow().text();
    } catch (AnswerTooLargeException e) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION,
          "attempt %s printed more than %d bytes; print one chunk per line, as a name or number"
              .formatted(attempt, MAX_OUTPUT),
          e);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.UNREACHABLE,
          "the output of attempt %s is on node %s, which does not answer at %s"
              .formatted(attempt, node.name(), node.address()),
          e);
    } catch (MillraceException e) {
      if (!SignedCalls.refusesServer(e)) {
        throw e;
      }
      throw new MillraceException(
          ErrorCode.UNREACHABLE,
          "the output of attempt %s is on node %s, but the server at %s refuses the call: %s"
              .formatted(attempt, node.name(), node.address(), e.getMessage()),
          e);
    }
    return lines(output.lines(), attempt);
  }

  /** The chunks that were printed; no more lines are kept than are allowed, and one. */
  static List<String> lines(Stream<String> output, AttemptId attempt) {
    List<String> lines =
        output.map(String::strip).filter(line -> !line.isEmpty()).limit(MAX_CHUNKS + 1L).toList();
    boolean tooLong = lines.stream().anyMatch(line -> line.length() > LONGEST_CHUNK);
    if (tooLong || lines.size() > MAX_CHUNKS) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION,
          "attempt %s printed more than %d lines, or a line longer than %d characters; print one chunk per line, as a name or number"
              .formatted(attempt, MAX_CHUNKS, LONGEST_CHUNK));
    }
    return lines;
  }
}
