package io.millrace.cli.job;

import io.millrace.cli.output.Terminal;

/**
 * Tells somebody who stops waiting that the job goes on. Closed when there is nothing left to tell.
 */
final class InterruptNotice implements AutoCloseable {
  private final long job;
  private final Thread hook;

  InterruptNotice(Terminal terminal, long job) {
    this.job = job;
    hook =
        new Thread(
            () ->
                terminal.note("\njob " + job + " goes on; end it with: millrace job cancel " + job),
            "interrupt-notice");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  long job() {
    return job;
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process ends already and has told.
      return;
    }
  }
}
