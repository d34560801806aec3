package io.millrace.api.client;

/**
 * A program that an execution node runs in a dedicated thread, for instance a queue manager. One
 * object serves all attempts, so it must not keep the state of any.
 */
public interface BuiltinProgram {
  /** The name that a job's spec asks for. */
  String name();

  /**
   * Runs until done or asked to stop; the result is the attempt's exit code.
   *
   * @throws InterruptedException when the attempt is stopped; the attempt ends as stopped
   * @throws Exception any other ends the attempt as failed with the exception's message
   */
  @SuppressWarnings("checkstyle:IllegalThrows") // a program may fail in any way
  int run(ProgramContext context) throws Exception;
}
