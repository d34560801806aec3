package io.millrace.queuenode.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import io.millrace.api.Durations;
import io.millrace.api.Json;
import io.millrace.queuenode.segment.StoredLease;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Writes a lease as an {@link io.millrace.api.event.LeaseRequest.Lease} in JSON without building
 * it: data and attributes are written as the bytes that were received, which were checked then.
 */
final class LeaseText {
  private static final int USUAL_EVENT = 300;

  private LeaseText() {}

  static byte[] write(StoredLease batch) {
    try (ByteArrayBuilder bytes = new ByteArrayBuilder(USUAL_EVENT * (1 + batch.events().size()));
        JsonGenerator json = Json.mapper().getFactory().createGenerator(bytes)) {
      json.writeStartObject();
      json.writeArrayFieldStart("events");
      for (LeasedEvent event : batch.events()) {
        write(json, batch.queue(), event);
      }
      json.writeEndArray();
      json.writeStringField("lease", Durations.format(batch.lease()));
      json.writeEndObject();
      json.flush();
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("memory was not writable", e);
    }
  }

  private static void write(JsonGenerator json, String queue, LeasedEvent leased)
      throws IOException {
    NewEvent event = leased.event();
    json.writeStartObject();
    json.writeStringField("receipt", leased.receipt().toString());
    json.writeStringField("id", event.id());
    json.writeStringField("queue", queue);
    json.writeNumberField("attempt", leased.attempt());
    if (event.attributes() != null) {
      json.writeFieldName("attributes");
      json.writeRawValue(event.attributes());
    }
    json.writeFieldName("data");
    json.writeRawValue(new RawJson(event.data()));
    json.writeEndObject();
  }

  /** JSON in UTF-8 that a generator copies unchanged into its output. Immutable. */
  private static final class RawJson implements SerializableString {
    private final byte[] utf8;

    RawJson(byte[] utf8) {
      this.utf8 = utf8;
    }

    @Override
    public String getValue() {
      return new String(utf8, StandardCharsets.UTF_8);
    }

    @Override
    public int charLength() {
      return getValue().length();
    }

    @Override
    public char[] asQuotedChars() {
      throw quoted();
    }

    @Override
    public byte[] asUnquotedUTF8() {
      return utf8;
    }

    @Override
    public byte[] asQuotedUTF8() {
      throw quoted();
    }

    @Override
    public int appendQuotedUTF8(byte[] buffer, int offset) {
      throw quoted();
    }

    @Override
    public int appendQuoted(char[] buffer, int offset) {
      throw quoted();
    }

    @Override
    public int appendUnquotedUTF8(byte[] buffer, int offset) {
      if (utf8.length > buffer.length - offset) {
        return -1;
      }
      System.arraycopy(utf8, 0, buffer, offset, utf8.length);
      return utf8.length;
    }

    @Override
    public int appendUnquoted(char[] buffer, int offset) {
      String value = getValue();
      if (value.length() > buffer.length - offset) {
        return -1;
      }
      value.getChars(0, value.length(), buffer, offset);
      return value.length();
    }

    @Override
    public int writeQuotedUTF8(OutputStream out) {
      throw quoted();
    }

    @Override
    public int writeUnquotedUTF8(OutputStream out) throws IOException {
      out.write(utf8);
      return utf8.length;
    }

    @Override
    public int putQuotedUTF8(ByteBuffer buffer) {
      throw quoted();
    }

    @Override
    public int putUnquotedUTF8(ByteBuffer buffer) {
      if (utf8.length > buffer.remaining()) {
        return -1;
      }
      buffer.put(utf8);
      return utf8.length;
    }

    private static UnsupportedOperationException quoted() {
      return new UnsupportedOperationException("a whole JSON value is never quoted");
    }
  }
}
