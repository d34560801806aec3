package io.millrace.executor.run;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.ProgramContext;
import io.millrace.api.client.ProgramContext.CommandAnswer;
import io.millrace.api.client.QueueClient;
import io.millrace.api.job.AttemptId;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.executor.run.ProgramRun.ProgramOutput;
import io.millrace.platform.identity.Role;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The context that a built-in program gets for one attempt. */
record AttemptContext(Assignment assignment, ProgramHost host, ProgramOutput output)
    implements ProgramContext {
  @Override
  public AttemptId attempt() {
    return assignment.attempt();
  }

  @Override
  public List<String> arguments() {
    return assignment.spec().arguments();
  }

  @Override
  public CentralClient central() {
    return host.calls().central();
  }

  @Override
  public QueueClient queueNode(String name, URI address) {
    return new QueueClient(
        new ApiClient(
            host.calls().to(Role.QUEUE_NODE, name), new Endpoints(List.of(address)), () -> null));
  }

  @Override
  public String secret() {
    return assignment.secret();
  }

  @Override
  public long nanoTime() {
    return host.clock().nanoTime();
  }

  @Override
  public void pause(Duration time) throws InterruptedException {
    // Never woken; used because all waiting is done by the platform's Waiter.
    new Waiter().await(time);
  }

  @Override
  public CommandAnswer command(
      List<String> command, Map<String, String> environment, Duration limit)
      throws InterruptedException {
    return new ShortCommand(command, environment).run(limit);
  }

  @Override
  public void print(String line) {
    output.println(line);
  }

  /**
   * A short command of a built-in program. Its output goes to a file, so that its background
   * processes cannot block the caller; processes that are left when it ends or at its time limit
   * are killed.
   *
   * @param command argv, no shell
   * @param environment added to the path and the language
   */
  private record ShortCommand(List<String> command, Map<String, String> environment) {
    private static final int KILLED = 137;
    private static final int TAIL_BYTES = 8_192;
    private static final List<String> KEPT = List.of("PATH", "HOME", "LANG", "LC_ALL", "TZ");

    /** Runs it; kills it when the time has passed or this thread is interrupted. */
    CommandAnswer run(Duration limit) throws InterruptedException {
      Path output = null;
      Process process = null;
      try {
        output = Files.createTempFile("millrace-command-", ".out");
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().retainAll(KEPT);
        builder.environment().putAll(environment);
        process =
            builder
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
        return new CommandAnswer(ended ? process.exitValue() : KILLED, lastLine(output));
      } catch (IOException e) {
        throw new MillraceException(
            ErrorCode.UNAVAILABLE, command + " cannot be run here: " + e.getMessage(), e);
      } finally {
        kill(process);
        delete(output);
      }
    }

    private static void kill(Process process) {
      if (process != null) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    }

    private static void delete(Path output) {
      if (output == null) {
        return;
      }
      try {
        Files.deleteIfExists(output);
      } catch (IOException e) {
        // It is in the folder for temporary files, which is cleaned up by the system.
        output.toFile().deleteOnExit();
      }
    }

    private static String lastLine(Path output) throws IOException {
      try (RandomAccessFile file = new RandomAccessFile(output.toFile(), "r")) {
        file.seek(Math.max(0, file.length() - TAIL_BYTES));
        byte[] tail = new byte[(int) (file.length() - file.getFilePointer())];
        file.readFully(tail);
        String text = new String(tail, StandardCharsets.UTF_8).stripTrailing();
        return text.substring(text.lastIndexOf('\n') + 1).strip();
      }
    }
  }
}
