package io.millrace.tests.process;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.tests.house.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The unpacked distribution of the build and the processes of its launcher. Everything it would
 * write outside its data goes to the folder of the test.
 */
public final class Distribution {
  // A small JVM that starts quickly: several servers share the machine with the build.
  private static final String JAVA_OPTIONS = "-Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

  private static final Path HOME = SourceTree.root().resolve("submit-cli/target/distribution");

  private final Path folder;
  private final Path home;
  private final boolean archives;

  /** The launcher, for programs that run in that folder. */
  public Distribution(Path folder) {
    this(folder, HOME, true);
  }

  private Distribution(Path folder, Path home, boolean archives) {
    this.folder = folder;
    this.home = home;
    this.archives = archives;
  }

  /**
   * A copy in that folder, for programs that may outlive the next build. Nothing is written next to
   * its libraries, so that the folder can be deleted at any time.
   */
  public static Distribution copied(Path folder) throws IOException {
    return copied(folder, false);
  }

  /** The same; its first server creates the class archive. */
  static Distribution recording(Path folder) throws IOException {
    return copied(folder, true);
  }

  private static Distribution copied(Path folder, boolean archives) throws IOException {
    Path home = folder.resolve("distribution");
    // Not the archives next to the libraries, which may be created at any time and are valid only
    // in their folder.
    for (String part :
        List.of("bin", "conf", "jobs", "lib/client", "lib/server", "lib/server.jvm")) {
      try (Stream<Path> files = Files.walk(HOME.resolve(part))) {
        for (Path file : files.toList()) {
          Path copy = home.resolve(HOME.relativize(file).toString());
          Files.createDirectories(copy.getParent());
          Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
    return new Distribution(folder, home, archives);
  }

  /** Skips the test if no distribution was built. */
  public static void assumeBuilt() {
    assumeTrue(
        Files.isExecutable(HOME.resolve("bin/millrace")),
        "no distribution in " + HOME + ": build it with mvn package");
  }

  /** The result of a command. */
  record Ended(int exitCode, String out, String err) {}

  /** Runs a command to its end. */
  Ended run(String... arguments) throws IOException, InterruptedException {
    Path out = Files.createTempFile(folder, "command", ".out");
    Path err = Files.createTempFile(folder, "command", ".err");
    Process process =
        builder(arguments).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("millrace " + String.join(" ", arguments) + " does not end");
    }
    return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  /** Starts a server; its output goes to files named after it. */
  public ServerProcess start(String name, String... arguments) throws IOException {
    return start(name, List.of(), arguments);
  }

  /** The same with additional JVM options. */
  public ServerProcess start(String name, List<String> javaOptions, String... arguments)
      throws IOException {
    Path out = Files.createTempFile(folder, name + "-", ".out");
    Path err = Files.createTempFile(folder, name + "-", ".err");
    ProcessBuilder builder =
        builder(arguments).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder
        .environment()
        .merge(
            "MILLRACE_JAVA_OPTS",
            String.join(" ", javaOptions),
            (usual, more) -> usual + " " + more);
    Process process = builder.start();
    return new ServerProcess(name, process, out, err);
  }

  private ProcessBuilder builder(String... arguments) {
    List<String> command = new ArrayList<>(List.of(home.resolve("bin/millrace").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("MILLRACE_"));
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("XDG_CONFIG_HOME", folder.resolve("configuration").toString());
    environment.put("MILLRACE_JAVA_OPTS", JAVA_OPTIONS);
    if (!archives) {
      environment.put("MILLRACE_ARCHIVE", "off");
    }
    return builder;
  }
}
