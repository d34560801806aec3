package io.millrace.api.workflow;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import java.io.IOException;
import java.util.Map;

/**
 * Writes a map in its own order, also where maps are otherwise sorted: steps are numbered in the
 * order of their templates and lists. Stateless.
 */
final class WrittenOrder extends JsonSerializer<Map<String, ?>> {
  @Override
  public void serialize(Map<String, ?> map, JsonGenerator out, SerializerProvider values)
      throws IOException {
    out.writeStartObject(map);
    for (Map.Entry<String, ?> entry : map.entrySet()) {
      out.writeFieldName(entry.getKey());
      values.defaultSerializeValue(entry.getValue(), out);
    }
    out.writeEndObject();
  }
}
