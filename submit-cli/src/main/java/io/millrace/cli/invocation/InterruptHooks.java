package io.millrace.cli.invocation;

/** What a command does when its process is told to exit, for instance by Ctrl-C. Thread-safe. */
@FunctionalInterface
public interface InterruptHooks {
  /** The shutdown hooks of this process. */
  InterruptHooks OF_PROCESS =
      action -> {
        Thread hook = new Thread(action, "interrupt-hook");
        Runtime.getRuntime().addShutdownHook(hook);
        return () -> {
          try {
            Runtime.getRuntime().removeShutdownHook(hook);
          } catch (IllegalStateException e) {
            // The process is already exiting, and the action runs or has run.
            return;
          }
        };
      };

  /**
   * Runs the action on a thread of its own if the process is told to exit before the registration
   * is closed. The process exits when the action has returned.
   */
  Registration register(Runnable action);

  /** An action that is still registered. */
  @FunctionalInterface
  interface Registration {
    /** The action will not run any more, unless it runs already. */
    void close();
  }
}
