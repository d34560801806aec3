package io.millrace.cli.definition;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.DeliveredEvent;
import io.millrace.cli.invocation.Refusal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Events for a trial, as a worker reads them on its input.
 *
 * @param data of each
 */
record SampleEvents(List<JsonNode> data) {
  SampleEvents {
    data = List.copyOf(data);
  }

  /**
   * Those of the command's options.
   *
   * @param given each one event's data
   * @param file one event's data a line, {@code -} for the standard input; null for none
   * @throws MillraceException INVALID_REQUEST naming the option and the line
   */
  static SampleEvents of(List<String> given, Path file, InputStream standardInput)
      throws IOException {
    List<JsonNode> data = new ArrayList<>();
    for (String text : given) {
      data.add(read(text, "--event"));
    }
    if (file != null) {
      int line = 0;
      for (String text : lines(file, standardInput)) {
        line++;
        if (!text.isBlank()) {
          data.add(read(text, "--events, line " + line));
        }
      }
    }
    return new SampleEvents(data);
  }

  int count() {
    return data.size();
  }

  /** The first ones of them. */
  SampleEvents first(int most) {
    return new SampleEvents(data.subList(0, Math.min(most, data.size())));
  }

  /** One a line, as execution nodes write them. */
  String lines(String queue) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < data.size(); i++) {
      String id = "sample-" + (i + 1);
      DeliveredEvent event = new DeliveredEvent(null, id, queue, 1, null, data.get(i));
      lines.append(Json.write(event)).append('\n');
    }
    return lines.toString();
  }

  private static List<String> lines(Path file, InputStream standardInput) throws IOException {
    if (file.toString().equals("-")) {
      return new String(standardInput.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
    Refusal.unless(Files.isReadable(file), "--events", "there is no readable file " + file);
    return Files.readAllLines(file);
  }

  private static JsonNode read(String text, String option) {
    try {
      return Json.read(text, JsonNode.class);
    } catch (MillraceException e) {
      throw Refusal.of(option, "it is no JSON: " + e.getMessage());
    }
  }
}
