package io.millrace.queuenode.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import io.millrace.api.Durations;
import io.millrace.api.Json;
import io.millrace.queuenode.segment.StoredLease;
import io.millrace.queuenode.store.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.NewEvent;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Writes a lease as an {@link io.millrace.api.event.Lease} in JSON without building it: data and
 * attributes go out as the bytes that came in, which were checked then.
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
}
