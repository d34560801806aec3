package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.HttpTransport.AnswerTooLargeException;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.job.AttemptId;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.node.ExecutionNodes;
import io.millrace.manager.node.NodeAddress;
import io.millrace.manager.node.NodeRow;
import io.millrace.manager.task.RunService.ChunkOutput;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads a job's output from the execution node that keeps it. Thread-safe. */
public final class LoggedOutput implements ChunkOutput {
  private static final Duration READ_WITHIN = Duration.ofSeconds(25);
  private static final long MAX_OUTPUT = 32L << 20;
  private static final int MAX_CHUNKS = 1_000_000;
  private static final int LONGEST_CHUNK = 1_000;

  /** The line that an execution node puts in the place of what it dropped from a long output. */
  private static final Pattern DROPPED =
      Pattern.compile("\\[millrace: (\\d+) bytes of this output were dropped here]");

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
        HttpCall.get(NodeAddress.of(node.name(), node.address(), path))
            .within(READ_WITHIN)
            .answeredWithin(MAX_OUTPUT);
    String output;
    try {
      output = calls.to(Role.EXECUTION_NODE, node.name(), self).send(call).orThrow().text();
    } catch (AnswerTooLargeException e) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION,
          "attempt %s printed more than %d MiB, which is the most that a list may have; print shorter names or numbers, let one line stand for several items, or make several tasks of it"
              .formatted(attempt, MAX_OUTPUT >> 20),
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
    for (String line : lines) {
      Matcher dropped = DROPPED.matcher(line);
      if (dropped.matches()) {
        throw new MillraceException(
            ErrorCode.INVALID_DEFINITION,
            "%s bytes of the output of attempt %s were not kept by its execution node, so entries are missing; print less, or raise limits.logHead and limits.logTail of the execution nodes, together up to %d MiB"
                .formatted(dropped.group(1), attempt, MAX_OUTPUT >> 20));
      }
    }
    if (lines.size() > MAX_CHUNKS) {
      throw wrong(attempt, "more than %,d lines".formatted(MAX_CHUNKS));
    }
    int longest = lines.stream().mapToInt(String::length).max().orElse(0);
    if (longest > LONGEST_CHUNK) {
      throw wrong(
          attempt,
          "a line of %,d characters; at most %,d are possible".formatted(longest, LONGEST_CHUNK));
    }
    return lines;
  }

  private static MillraceException wrong(AttemptId attempt, String what) {
    return new MillraceException(
        ErrorCode.INVALID_DEFINITION,
        "attempt %s printed %s; print one chunk per line, as a name or number"
            .formatted(attempt, what));
  }
}
