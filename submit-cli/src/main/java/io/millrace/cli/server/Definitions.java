package io.millrace.cli.server;

import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.SourceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The demo's queue definitions with their folders filled in. */
final class Definitions {
  private Definitions() {}

  static ApplyRequest of(Path demoFolder, Path results) throws IOException {
    Path file = demoFolder.resolve("queues.yaml");
    String text =
        Files.readString(file)
            .replace("@DEMO@", quoted(demoFolder))
            .replace("@RESULTS@", quoted(results));
    return new ApplyRequest(List.of(new SourceFile(file.toString(), text)), false);
  }

  /** As it stands between double quotes in YAML. */
  private static String quoted(Path folder) {
    return folder.toAbsolutePath().toString().replace("\\", "\\\\").replace("\"", "\\\"");
  }
}
