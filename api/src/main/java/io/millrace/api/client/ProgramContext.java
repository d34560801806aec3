package io.millrace.api.client;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What a built-in program gets from the execution node that runs it. */
public interface ProgramContext {
  /** The attempt: the fencing token of all requests of the program. */
  AttemptId attempt();

  List<String> arguments();

  /** The variables of the job; a program is a thread, and has no environment of its own. */
  Map<String, String> environment();

  /** Proves to central managers that a request comes from this attempt. */
  String secret();

  /** The client of the central managers, in the node's name. */
  CentralClient central();

  /** A client of a queue node, in the name of the node that runs the program. */
  QueueClient queueNode(String name, URI address);

  /** Monotonic nanoseconds. */
  long nanoTime();

  /**
   * Waits.
   *
   * @throws InterruptedException when the attempt is stopped meanwhile
   */
  void pause(Duration time) throws InterruptedException;

  /**
   * Runs a short command on this node, as a job with this spec would run: as its user, in its
   * working directory, with its variables, secrets and time limit; its resources are not booked.
   * Blocks until it ends or is killed at its time limit.
   *
   * @param how a command with a timeout
   * @throws io.millrace.api.MillraceException UNAVAILABLE when it cannot be started, CONFIGURATION
   *     when this node does not run jobs as its user or lacks its files
   * @throws InterruptedException when the attempt is stopped meanwhile; the command is killed
   */
  CommandAnswer command(JobSpec how) throws InterruptedException;

  /** Writes a line to the attempt's standard output. */
  void print(String line);

  /**
   * The result of a short command.
   *
   * @param exitCode as the process ended; 137 when it was killed at its time limit
   * @param lastLine the last non-blank line of its output or error output; empty for none
   */
  record CommandAnswer(int exitCode, String lastLine) {}
}
