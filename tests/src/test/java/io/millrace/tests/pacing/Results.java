package io.millrace.tests.pacing;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.tests.cluster.Folders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The result files of workers: one for each run with its events. */
record Results(Path folder) {

  /**
   * The command of a worker, as a YAML list, that takes that many seconds and then writes its
   * events there.
   */
  String worker(double seconds) {
    String script =
        "cat > $1/.$MILLRACE_ATTEMPT && sleep %s && mv $1/.$MILLRACE_ATTEMPT $1/$MILLRACE_ATTEMPT"
            .formatted(String.format(Locale.ROOT, "%.3f", seconds));
    return "[sh, -c, '%s', worker, '%s']".formatted(script, folder);
  }

  /** The ids of the events of all finished runs, with repetitions. */
  List<String> ids() throws IOException {
    return Folders.lines(folder).stream()
        .map(line -> Json.read(line, JsonNode.class).get("id").asText())
        .toList();
  }
}
