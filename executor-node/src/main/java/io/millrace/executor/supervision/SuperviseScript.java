package io.millrace.executor.supervision;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Puts the script that supervises one attempt where a shell can read it. */
final class SuperviseScript {

  private static final String NAME = "supervise.sh";

  private SuperviseScript() {}

  /**
   * Writes the script into the directory, which is created if missing.
   *
   * <p>Replaced by rename and never written over: shells of attempts that outlived an earlier agent
   * may still be reading the old file.
   */
  static Path install(Path directory) throws IOException {
    Path script = directory.toAbsolutePath().resolve(NAME);
    Files.createDirectories(script.getParent());
    try (InputStream source = SuperviseScript.class.getResourceAsStream(NAME)) {
      if (source == null) {
        throw new IOException(NAME + " is missing from the installation; install Millrace again");
      }
      Path fresh = Files.createTempFile(script.getParent(), NAME, ".new");
      Files.copy(source, fresh, StandardCopyOption.REPLACE_EXISTING);
      return Files.move(fresh, script, StandardCopyOption.ATOMIC_MOVE);
    }
  }
}
