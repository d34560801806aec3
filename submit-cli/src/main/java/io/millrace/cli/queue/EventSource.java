package io.millrace.cli.queue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventDraft;
import io.millrace.api.event.EventMedia;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Events to send, batch by batch: a body as it is, or lines in batches that every server takes. Not
 * thread-safe.
 */
final class EventSource implements AutoCloseable {
  private static final int MOST_LINES = 1_000;
  private static final int MOST_BYTES = 512 * 1024;

  private final String name;
  private final BufferedReader lines;
  private EventBatch whole;
  private int batches;

  private EventSource(String name, EventBatch whole, BufferedReader lines) {
    this.name = name;
    this.whole = whole;
    this.lines = lines;
  }

  /** One event, with an id of the producer's own or (null) without. */
  static EventSource ofText(String name, String data, String id) {
    JsonNode value = Json.read(data, JsonNode.class);
    if (id == null) {
      // Within an array, so that data which is itself an array stays one event.
      byte[] body = ("[" + data + "]").getBytes(StandardCharsets.UTF_8);
      return new EventSource(name, new EventBatch(name, EventMedia.JSON, body), null);
    }
    byte[] line = Json.writeBytes(new EventDraft(id, value, null));
    return new EventSource(name, new EventBatch(name, EventMedia.ENVELOPES, line), null);
  }

  /** The events of a file, or of the standard input when the file is {@code -}. */
  static EventSource ofFile(String name, String file, InputStream input, boolean perLine)
      throws IOException {
    if (!file.equals("-") && !Files.isReadable(Path.of(file))) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "there is no readable file " + file);
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
      EventBatch only = whole;
      whole = null;
      return only;
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    int count = 0;
    String line = null;
    while (count < MOST_LINES && body.size() < MOST_BYTES && (line = lines.readLine()) != null) {
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
}
