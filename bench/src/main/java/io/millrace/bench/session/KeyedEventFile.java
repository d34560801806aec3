package io.millrace.bench.session;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;

/** Events with keys in a file: one JSON object on each line, possibly compressed with gzip. */
final class KeyedEventFile {
  private static final int MOST_EVENTS = 2_000_000;

  private KeyedEventFile() {}

  /**
   * Where the parts of an event are, as JSON pointers.
   *
   * @param key of its session
   * @param id of the event
   * @param previous ids of events that it comes after: one text, an array of them, or nothing
   */
  record EventShape(JsonPointer key, JsonPointer id, JsonPointer previous) {}

  /**
   * An event.
   *
   * @param previous ids of events that it comes after
   * @param data the line
   */
  record FileEvent(String key, String id, List<String> previous, String data) {}

  /**
   * The events of each key, each after those that it names; the keys in the order of the file.
   *
   * @throws MillraceException INVALID_REQUEST if a line is no event, or there are too many
   */
  static Map<String, List<FileEvent>> read(Path file, EventShape shape) throws IOException {
    Map<String, List<FileEvent>> keys = new LinkedHashMap<>();
    Set<String> ids = new HashSet<>();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(open(file), StandardCharsets.UTF_8))) {
      int number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        if (line.isBlank()) {
          continue;
        }
        FileEvent event = event(file, number, line, shape);
        if (!ids.add(event.id())) {
          throw refused(file, number, "has the id " + event.id() + " of an earlier line");
        }
        if (ids.size() > MOST_EVENTS) {
          throw refused(file, number, "is beyond the " + MOST_EVENTS + " events of a replay");
        }
        keys.computeIfAbsent(event.key(), key -> new ArrayList<>()).add(event);
      }
    }
    keys.replaceAll((key, events) -> CausalOrder.of(events));
    return keys;
  }

  private static InputStream open(Path file) throws IOException {
    InputStream bytes = Files.newInputStream(file);
    return file.toString().endsWith(".gz") ? new GZIPInputStream(bytes) : bytes;
  }

  private static FileEvent event(Path file, int number, String line, EventShape shape) {
    JsonNode data;
    try {
      data = Json.mapper().readTree(line);
    } catch (JsonProcessingException e) {
      throw refused(file, number, "is not JSON");
    }
    JsonNode key = data.at(shape.key());
    JsonNode id = data.at(shape.id());
    if (!key.isTextual() && !key.isIntegralNumber()) {
      throw refused(file, number, "has no key at " + shape.key());
    }
    if (!id.isTextual() && !id.isIntegralNumber()) {
      throw refused(file, number, "has no id at " + shape.id());
    }
    List<String> previous = new ArrayList<>();
    JsonNode before = data.at(shape.previous());
    if (before.isArray()) {
      before.forEach(one -> previous.add(one.asText()));
    } else if (before.isValueNode() && !before.isNull()) {
      previous.add(before.asText());
    }
    return new FileEvent(key.asText(), id.asText(), previous, line);
  }

  private static MillraceException refused(Path file, int line, String what) {
    return new MillraceException(
        ErrorCode.INVALID_REQUEST, "line %d of %s %s".formatted(line, file, what));
  }
}
