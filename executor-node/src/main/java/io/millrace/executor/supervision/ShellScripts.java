package io.millrace.executor.supervision;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Collectors;

/**
 * The scripts that supervise attempts, where a shell can read them.
 *
 * @param supervise leads one attempt
 * @param watchdog kills a single instance whose lease is over
 */
record ShellScripts(Path supervise, Path watchdog) {

  /**
   * Writes the scripts into the directory, which is created if missing.
   *
   * <p>Replaced by rename and never written over: shells of attempts that outlived an earlier agent
   * may still be reading the old files.
   */
  static ShellScripts install(Path directory) throws IOException {
    Path folder = Files.createDirectories(directory.toAbsolutePath());
    return new ShellScripts(install(folder, "supervise.sh"), install(folder, "watchdog.sh"));
  }

  private static Path install(Path folder, String name) throws IOException {
    try (InputStream source = ShellScripts.class.getResourceAsStream(name)) {
      if (source == null) {
        throw new IOException(name + " is missing from the installation; install Millrace again");
      }
      Path fresh = Files.createTempFile(folder, name, ".new");
      Files.writeString(fresh, withoutComments(source));
      return Files.move(fresh, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }
  }

  // A shell reads the script anew for each attempt.
  private static String withoutComments(InputStream source) throws IOException {
    return new String(source.readAllBytes(), StandardCharsets.UTF_8)
        .lines()
        .filter(line -> !line.isBlank() && !line.stripLeading().startsWith("#"))
        .collect(Collectors.joining("\n", "", "\n"));
  }
}
