package io.millrace.api;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import java.io.IOException;
import java.time.Duration;

/**
 * Teaches Jackson to write durations as {@code 30s} and to read every form of {@link Durations}.
 */
public final class QuantityModule extends SimpleModule {
  private static final long serialVersionUID = 1L;

  public QuantityModule() {
    super("millrace-quantities");
    addSerializer(Duration.class, new DurationWriter());
    addDeserializer(Duration.class, new DurationReader());
  }

  private static final class DurationWriter extends StdScalarSerializer<Duration> {
    private static final long serialVersionUID = 1L;

    DurationWriter() {
      super(Duration.class);
    }

    @Override
    public void serialize(Duration value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      out.writeString(Durations.format(value));
    }
  }

  private static final class DurationReader extends StdScalarDeserializer<Duration> {
    private static final long serialVersionUID = 1L;

    DurationReader() {
      super(Duration.class);
    }

    @Override
    public Duration deserialize(JsonParser in, DeserializationContext context) throws IOException {
      try {
        return Durations.parse(in.getText());
      } catch (IllegalArgumentException e) {
        throw (InvalidFormatException)
            new InvalidFormatException(in, e.getMessage(), in.getText(), Duration.class)
                .initCause(e);
      }
    }
  }
}
