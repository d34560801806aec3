package io.millrace.api.program;

import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.job.AttemptId;
import java.time.Duration;
import java.util.List;

/** What a built-in program gets from the execution node that runs it. */
public interface ProgramContext {
  /** The attempt: the fencing token of whatever the program asks for. */
  AttemptId attempt();

  List<String> arguments();

  /** The central managers, with the node's token. */
  CentralClient central();

  /** The node's transport, for servers that the program finds by itself. */
  HttpTransport transport();

  /** The node's own token, as a bearer. */
  String token();

  /** Monotonic nanoseconds. */
  long nanoTime();

  /**
   * Waits.
   *
   * @throws InterruptedException when the attempt is stopped meanwhile
   */
  void pause(Duration time) throws InterruptedException;

  /** Writes a line to the attempt's standard output. */
  void print(String line);
}
