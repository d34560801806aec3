package io.millrace.tests.house;

import java.nio.file.Files;
import java.nio.file.Path;

/** The source tree that contains these tests. */
public final class SourceTree {
  private SourceTree() {}

  /** Its root folder. */
  public static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("bin")) || !Files.exists(folder.resolve("api"))) {
      folder = folder.getParent();
    }
    return folder;
  }
}
