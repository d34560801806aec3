package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.job.AttemptId;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.node.ExecutionNodes;
import io.millrace.manager.node.NodeRow;
import io.millrace.manager.task.RunService.ChunkOutput;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Reads a job's output from the execution node that keeps it. Thread-safe. */
public final class LoggedOutput implements ChunkOutput {
  private static final Duration FIRST_BYTE = Duration.ofSeconds(30);
  private static final int MAX_CHUNKS = 1_000_000;
  private static final int LONGEST_CHUNK = 1_000;

  private final JobQueries queries;
  private final ExecutionNodes nodes;
  private final HttpTransport transport;
  private final Supplier<String> token;

  /**
   * The output of jobs on these nodes.
   *
   * @param token of the role manager, requested for each call
   */
  public LoggedOutput(
      JobQueries queries, ExecutionNodes nodes, HttpTransport transport, Supplier<String> token) {
    this.queries = queries;
    this.nodes = nodes;
    this.transport = transport;
    this.token = token;
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
            .with("Authorization", "Bearer " + token.get())
            .within(FIRST_BYTE);
    try (InputStream log = transport.stream(call)) {
      return lines(log, attempt);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.UNREACHABLE,
          "the output of attempt %s is on node %s, which does not answer at %s"
              .formatted(attempt, node.name(), node.address()),
          e);
    }
  }

  private static List<String> lines(InputStream log, AttemptId attempt) throws IOException {
    List<String> lines = new ArrayList<>();
    BufferedReader reader = new BufferedReader(new InputStreamReader(log, StandardCharsets.UTF_8));
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      String chunk = line.strip();
      if (chunk.length() > LONGEST_CHUNK || lines.size() == MAX_CHUNKS) {
        throw new MillraceException(
            ErrorCode.INVALID_DEFINITION,
            "attempt %s printed more than %d lines, or a line longer than %d characters; print one chunk per line, as a name or number"
                .formatted(attempt, MAX_CHUNKS, LONGEST_CHUNK));
      }
      if (!chunk.isEmpty()) {
        lines.add(chunk);
      }
    }
    return lines;
  }
}
