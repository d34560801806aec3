package io.millrace.cli.queue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.EventMedia.EventDraft;
import io.millrace.cli.invocation.OptionRefusal;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Events to send, batch by batch: a complete body, or lines in batches of a size that every server
 * accepts. Not thread-safe.
 */
final class EventSource implements AutoCloseable {
  private static final int MAX_LINES = 1_000;
  private static final int MAX_BYTES = 512 * 1024;

  private final String name;
  private final BufferedReader lines;
  private EventBatch single;
  private int batches;

  private EventSource(String name, EventBatch single, BufferedReader lines) {
    this.name = name;
    this.single = single;
    this.lines = lines;
  }

  /** One event, with the producer's ID or (null) without. */
  static EventSource ofText(String name, String data, String id) {
    JsonNode value = json(data);
    if (id == null) {
      // In an array, so that data which is an array itself stays one event.
      byte[] body = ("[" + data + "]").getBytes(StandardCharsets.UTF_8);
      return new EventSource(name, new EventBatch(name, EventMedia.JSON, body), null);
    }
    byte[] line = Json.writeBytes(new EventDraft(id, value, null));
    return new EventSource(name, new EventBatch(name, EventMedia.ENVELOPES, line), null);
  }

  private static JsonNode json(String data) {
    try {
      JsonNode value =
          Json.mapper()
              .reader()
              .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
              .readTree(data);
      OptionRefusal.unless(!value.isMissingNode(), "--data", "contains no JSON");
      return value;
    } catch (JsonProcessingException e) {
      throw OptionRefusal.of(
          "--data",
          "not JSON: %s; to send a file, name it after the queue, without --data"
              .formatted(Json.syntax(e)));
    }
  }

  /** The events of a file, or of the standard input when the file is {@code -}. */
  static EventSource ofFile(String name, String file, InputStream input, boolean perLine)
      throws IOException {
    if (!file.equals("-")) {
      Path path = Path.of(file);
      if (!Files.isReadable(path) || Files.isDirectory(path)) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            file.startsWith("{") || file.startsWith("[")
                ? "the data of an event is given with --data; another argument is a file"
                : "cannot read file " + file + "; use a file that exists, or - for standard input");
      }
    }
    InputStream in = file.equals("-") ? input : Files.newInputStream(Path.of(file));
    if (perLine) {
      return new EventSource(
          name, null, new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)));
    }
    try (in) {
      return new EventSource(name, new EventBatch(name, EventMedia.JSON, in.readAllBytes()), null);
    }
  }

  /** The next batch; null at the end. */
  EventBatch next() throws IOException {
    if (lines == null) {
      EventBatch only = single;
      single = null;
      return only;
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    int count = 0;
    String line = null;
    while (count < MAX_LINES && body.size() < MAX_BYTES && (line = lines.readLine()) != null) {
      if (!line.isBlank()) {
        body.writeBytes(line.getBytes(StandardCharsets.UTF_8));
        body.write('\n');
        count++;
      }
    }
    return count == 0
        ? null
        : new EventBatch(name + "-" + batches++, EventMedia.LINES, body.toByteArray());
  }

  @Override
  public void close() throws IOException {
    if (lines != null) {
      lines.close();
    }
  }

  /**
   * Events that are sent together.
   *
   * @param name the batch's name
   * @param mediaType of the body
   * @param body the events; never modified
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record EventBatch(String name, String mediaType, byte[] body) {}
}
