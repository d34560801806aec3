package io.millrace.executor.supervision;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends signals to process groups, which the JDK cannot. */
interface GroupSignals {

  /** Sends TERM to all processes of the groups; stopped ones are continued. */
  void terminate(Collection<Long> groups);

  /** Ends all processes of the groups. */
  void kill(Collection<Long> groups);

  /**
   * Signals groups with the {@code kill} that is built into the shell.
   *
   * <p>A missing group is not an error. Blocks for the few milliseconds of a process start.
   */
  final class ShellGroupSignals implements GroupSignals {

    private static final Logger LOGGER = LoggerFactory.getLogger(ShellGroupSignals.class);
    private static final int SECONDS_TO_SIGNAL = 10;

    private final String shell;
    private final long ownGroup;

    /** Signals through the given shell, and never the group that the agent itself belongs to. */
    ShellGroupSignals(String shell, long ownGroup) {
      this.shell = shell;
      this.ownGroup = ownGroup;
    }

    @Override
    public void terminate(Collection<Long> groups) {
      run("for group; do kill -s TERM -- \"-$group\"; kill -s CONT -- \"-$group\"; done", groups);
    }

    @Override
    public void kill(Collection<Long> groups) {
      run("for group; do kill -s KILL -- \"-$group\"; done", groups);
    }

    // "-s", because dash takes "--" only with it.
    private void run(String script, Collection<Long> groups) {
      List<String> command = new ArrayList<>(List.of(shell, "-c", script, "sh"));
      // "-1" would be everybody, "-0" the agent.
      groups.stream()
          .filter(group -> group > 1 && group != ownGroup)
          .distinct()
          .map(String::valueOf)
          .forEach(command::add);
      if (command.size() == 4) {
        return;
      }
      try {
        Process process =
            new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(SECONDS_TO_SIGNAL, TimeUnit.SECONDS)) {
          LOGGER.warn("signalling the groups {} takes over {} s", groups, SECONDS_TO_SIGNAL);
        }
      } catch (IOException e) {
        throw new UncheckedIOException("cannot start " + shell + " to signal groups " + groups, e);
      } catch (InterruptedException closing) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
