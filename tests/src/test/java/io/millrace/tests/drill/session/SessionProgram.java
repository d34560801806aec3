package io.millrace.tests.drill.session;

import io.millrace.api.Json;
import io.millrace.api.client.SessionConsumer;
import io.millrace.api.client.SessionWorkerOptions;
import io.millrace.api.client.UrlTransport;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A worker of sessions in its own process, which writes a journal. Started with the path of its
 * settings; works until it is killed.
 */
final class SessionProgram {
  private static final List<String> JAVA_OPTIONS =
      List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
  // At all queue nodes; not enough for all sessions: jobs get the others.
  private static final int CAP = 9;
  private static final int THREADS = 4;

  private SessionProgram() {}

  /** How it works. */
  enum Manner {
    /** By calls of its own: it also reports results of sessions that it has lost. */
    CALLS,
    /** By the client of the product. */
    CLIENT,
    /** As a job, by calls of its own, under a watchdog. */
    JOB
  }

  /**
   * What it works on.
   *
   * @param name of the process; a job's is its attempt
   * @param journals folder of its journal
   * @param queue whose sessions it takes
   * @param nodes queue nodes by name; a job's is one of them
   * @param tokenFile of role operator; a job gets its own token
   */
  record Settings(
      String name,
      Path journals,
      String queue,
      Map<String, URI> nodes,
      Path tokenFile,
      Manner manner) {}

  /** The command that runs it with these settings. */
  static List<String> command(Path settings) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JAVA_OPTIONS);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            SessionProgram.class.getName(),
            settings.toString()));
    return command;
  }

  /** Runs it. */
  public static void main(String[] arguments) throws Exception {
    Settings settings = Json.read(Files.readString(Path.of(arguments[0])), Settings.class);
    if (settings.manner() == Manner.JOB) {
      asJob(settings, Path.of(arguments[1]));
      return;
    }
    String token = Files.readString(settings.tokenFile()).strip();
    try (SessionJournal journal =
        SessionJournal.open(
            settings.journals(), settings.name() + "-" + ProcessHandle.current().pid())) {
      switch (settings.manner()) {
        case CALLS -> byCalls(settings, journal, token);
        case CLIENT -> byClient(settings, journal, token);
        case JOB -> throw new IllegalStateException("a job has one queue node");
      }
    }
  }

  private static void byCalls(Settings settings, SessionJournal journal, String token)
      throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (Map.Entry<String, URI> node : settings.nodes().entrySet()) {
      WireWorker worker =
          new WireWorker(
              new JournalWorker(false, settings.name(), node.getKey()),
              journal,
              new UrlTransport(),
              node.getValue(),
              token,
              settings.queue(),
              new SplittableRandom(),
              end -> {});
      Thread thread = new Thread(worker, "worker-of-" + node.getKey());
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void byClient(Settings settings, SessionJournal journal, String token)
      throws InterruptedException {
    ClientWorker worker =
        new ClientWorker(settings.name(), journal, settings.nodes(), token, UrlTransport::new);
    SessionWorkerOptions options =
        SessionWorkerOptions.of(settings.queue())
            .withName(settings.name())
            .withCap(CAP)
            .withThreads(THREADS);
    try (SessionConsumer<KeyState> consumer = new SessionConsumer<>(options, worker, worker)) {
      consumer.start();
      consumer.awaitEnd();
    }
  }

  /** Ends at its deadline, by itself or by its watchdog. */
  private static void asJob(Settings settings, Path deadline) throws IOException {
    Map<String, String> environment = System.getenv();
    URI url = URI.create(environment.get("MILLRACE_URL"));
    String node =
        settings.nodes().entrySet().stream()
            .filter(one -> one.getValue().equals(url))
            .findAny()
            .orElseThrow(() -> new IllegalStateException(url + " is none of " + settings.nodes()))
            .getKey();
    String name = environment.get("MILLRACE_ATTEMPT") + "-" + ProcessHandle.current().pid();
    try (SessionJournal journal = SessionJournal.open(settings.journals(), "job-" + name)) {
      new WireWorker(
              new JournalWorker(true, name, node),
              journal,
              new UrlTransport(),
              url,
              environment.get("MILLRACE_TOKEN"),
              settings.queue(),
              new SplittableRandom(),
              end -> WatchdogScript.write(deadline, end))
          .run();
    }
  }
}
