package io.millrace.bench.process;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Sizes;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server role as a separate process; closing it ends the process. Thread-safe. */
public final class RoleProcess implements AutoCloseable {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
  private static final int MAX_POLLS = 3_000;
  private static final int STOP_SECONDS = 20;
  // One line for each generation: "def new generation   total 9216K, used 12K". What is used
  // outside
  // of the heap has no total, and G1 and the serial and parallel collectors are read.
  private static final Pattern USED = Pattern.compile("total \\d+K, used (\\d+)K");
  private static final Pattern ANSWERS = Pattern.compile("answers at (\\S+)");

  private final Process process;
  private final Path output;
  private final long heapBytes;
  private final URI address;

  private RoleProcess(Process process, Path output, long heapBytes)
      throws InterruptedException, IOException {
    this.process = process;
    this.output = output;
    this.heapBytes = heapBytes;
    try {
      this.address = await();
    } catch (RuntimeException | IOException | InterruptedException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /**
   * Starts the role with the Java of this process and waits until it is ready.
   *
   * @param verb command of the role, such as {@code queue-node}
   */
  public static RoleProcess start(String verb, Path config, Path output, String heap)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx" + heap, "-XX:+ExitOnOutOfMemoryError"));
    inherited(command);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.millrace.cli.Main"));
    command.addAll(List.of(verb, "--config", config.toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    return new RoleProcess(process, output, Sizes.parse(heap.toUpperCase(Locale.ROOT) + "iB"));
  }

  /** The JVM options that bin/millrace passes to every server. */
  private static void inherited(List<String> command) {
    for (String argument :
        java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      boolean memory = argument.startsWith("-Xm");
      boolean terminal = argument.startsWith("-Dmillrace.terminal");
      if (!memory && !terminal) {
        command.add(argument);
      }
    }
  }

  /** Address of the server. */
  public URI address() {
    return address;
  }

  /** Processor time used so far; zero if the system does not report it. */
  public Duration processorTime() {
    return process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Size of its live objects in bytes, after a collection. */
  public long liveHeap() throws IOException, InterruptedException {
    jcmd("GC.run");
    return used(jcmd("GC.heap_info"));
  }

  /** Bytes of the heap that are in use, from what {@code jcmd PID GC.heap_info} prints. */
  static long used(String heapInfo) {
    long kilobytes =
        USED.matcher(heapInfo).results().mapToLong(used -> Long.parseLong(used.group(1))).sum();
    if (kilobytes == 0) {
      throw new MillraceException(
          ErrorCode.INTERNAL, "cannot read the heap of the process: " + heapInfo.strip());
    }
    return kilobytes << 10;
  }

  /** Maximum heap in bytes. */
  public long maxHeap() {
    return heapBytes;
  }

  /** Whether it runs. */
  public boolean alive() {
    return process.isAlive();
  }

  /** Ends it as kill -9 does, and blocks until it has ended. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  private String jcmd(String what) throws IOException, InterruptedException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                String.valueOf(process.pid()),
                what)
            .redirectErrorStream(true)
            .start();
    String output = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    jcmd.waitFor();
    return output;
  }

  private URI await() throws InterruptedException, IOException {
    Waiter waiter = new Waiter();
    for (int polls = 0; polls < MAX_POLLS && process.isAlive(); polls++) {
      Matcher matcher = ANSWERS.matcher(Files.readString(output, StandardCharsets.UTF_8));
      if (matcher.find()) {
        return URI.create(matcher.group(1));
      }
      waiter.await(POLL_INTERVAL);
    }
    throw new MillraceException(
        ErrorCode.UNAVAILABLE,
        "a server process did not start: "
            + Files.readString(output, StandardCharsets.UTF_8).strip());
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
