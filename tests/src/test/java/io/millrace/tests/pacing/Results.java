package io.millrace.tests.pacing;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.tests.cluster.Folders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** What workers leave behind: one file for each run with the events that it had. */
record Results(Path folder) {

  /** A worker, as a list in YAML, that takes so many seconds and then leaves its events there. */
  String worker(double seconds) {
    String script =
        "cat > $1/.$MILLRACE_ATTEMPT && sleep %s && mv $1/.$MILLRACE_ATTEMPT $1/$MILLRACE_ATTEMPT"
            .formatted(String.format(Locale.ROOT, "%.3f", seconds));
    return "[sh, -c, '%s', worker, '%s']".formatted(script, folder);
  }

  /** The id of each event that a finished run had, as often as it was had. */
  List<String> ids() throws IOException {
    return Folders.lines(folder).stream()
        .map(line -> Json.read(line, JsonNode.class).get("id").asText())
        .toList();
  }
}
