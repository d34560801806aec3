package io.millrace.executor.supervision;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Starts a watchdog for an attempt that has lost its own; ordinarily the supervising shell starts
 * it before the command.
 *
 * @param setsid gives it a session of its own
 * @param script what it runs
 * @param marks by which it knows processes of its attempt
 */
record WatchdogStart(Path setsid, Path script, AttemptMarks marks) {

  /**
   * Starts one and does not wait until it watches.
   *
   * @return its process, which lives until nothing of the attempt is left
   */
  Process start(AttemptDirectory directory, ProcessIdentity leader) throws IOException {
    Map<String, String> marked = marks.of(directory.id());
    List<String> command = new ArrayList<>();
    command.add(setsid.toString());
    command.add(AttemptCommand.SHELL);
    command.add(script.toString());
    command.add(directory.path().toString());
    command.add(Long.toString(leader.pid()));
    command.add(Long.toString(leader.startTicks()));
    command.add(marked.get(AttemptMarks.ATTEMPT));
    command.add(marked.get(AttemptMarks.NODE));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectInput(Redirect.from(new File("/dev/null")))
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD);
    builder.environment().clear();
    return builder.start();
  }
}
