package io.millrace.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * JSON as Millrace writes and reads it: instants as ISO-8601, durations as {@code 30s}, null values
 * omitted, unknown fields ignored because a newer server may send more. Thread-safe.
 */
public final class Json {
  private static final JsonMapper MAPPER = builder(new JsonFactory()).build();

  private Json() {}

  /** A mapper like the shared one that reads with the given factory's limits. */
  public static JsonMapper.Builder builder(JsonFactory factory) {
    return JsonMapper.builder(factory)
        .addModule(new JavaTimeModule())
        .addModule(new QuantityModule())
        .defaultPropertyInclusion(
            JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
        .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
  }

  /** Added to a mapper that reads what people write: with the limits of {@link Durations#parse}. */
  public static Module written() {
    return new SimpleModule("millrace-written")
        .addDeserializer(Duration.class, new DurationReader(Durations::parse));
  }

  /** The shared mapper; callers do not reconfigure it. */
  public static JsonMapper mapper() {
    return MAPPER;
  }

  public static String write(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not writable as JSON: " + value.getClass(), e);
    }
  }

  public static byte[] writeBytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not writable as JSON: " + value.getClass(), e);
    }
  }

  /** Reads a value; a {@link MillraceException} with MALFORMED_BODY names line and column. */
  public static <T> T read(String json, Class<T> type) {
    try {
      return MAPPER.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw malformed(unreadable(type), e);
    }
  }

  /** Reads a value; a {@link MillraceException} with MALFORMED_BODY names line and column. */
  public static <T> T read(byte[] json, Class<T> type) {
    try {
      return MAPPER.readValue(json, type);
    } catch (IOException e) {
      throw malformed(unreadable(type), e);
    }
  }

  /**
   * The texts and numbers of an array, as they are written; empty if the text is not one such
   * array.
   */
  public static Optional<List<String>> scalars(String text) {
    List<String> values = new ArrayList<>();
    try (JsonParser parser = MAPPER.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        return Optional.empty();
      }
      JsonToken token = parser.nextToken();
      while (token != null && token.isScalarValue() && token != JsonToken.VALUE_NULL) {
        values.add(parser.getText());
        token = parser.nextToken();
      }
      return token == JsonToken.END_ARRAY && parser.nextToken() == null
          ? Optional.of(values)
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static String unreadable(Class<?> type) {
    return "not readable as " + (type == JsonNode.class ? "JSON" : type.getSimpleName());
  }

  /** What is wrong with the text, without its place, in the words of whoever wrote it. */
  public static String syntax(JsonProcessingException failure) {
    return SyntaxMessages.of(failure.getOriginalMessage());
  }

  private static MillraceException malformed(String problem, IOException e) {
    String words = e.getMessage();
    if (e instanceof JsonProcessingException json) {
      // A record's constructor explains its refusal better than Jackson does.
      words =
          e instanceof ValueInstantiationException refused
                  && refused.getCause() != null
                  && refused.getCause().getMessage() != null
              ? refused.getCause().getMessage()
              : syntax(json);
      if (json.getLocation() != null) {
        words +=
            " (line "
                + json.getLocation().getLineNr()
                + ", column "
                + json.getLocation().getColumnNr()
                + ")";
      }
    }
    return new MillraceException(ErrorCode.MALFORMED_BODY, problem + ": " + words, e);
  }

  /** Rephrases what the parser says in the terms of its own implementation. Pure. */
  private static final class SyntaxMessages {
    private static final String VALUE =
        "it is not a value: write a number, true, false, null, or a string in double quotes";

    // By the beginning of what the parser says; $1 is the first group.
    private static final Map<Pattern, String> WORDS = words();

    private SyntaxMessages() {}

    private static Map<Pattern, String> words() {
      Map<Pattern, String> words = new LinkedHashMap<>();
      String character = "Unexpected character \\((.*?) \\(code [^)]*\\)\\): ";
      BiConsumer<String, String> add =
          (form, text) -> words.put(Pattern.compile(form + ".*", Pattern.DOTALL), text);
      add.accept(
          "Unexpected end-of-input", "the text ends before a value, object or list is complete");
      add.accept("No content to map due to end-of-input", "the text is empty");
      add.accept(
          character + "was expecting comma to separate (?:Object|Array) entries",
          "a comma, or the end of the object or list, is missing before $1");
      add.accept(
          character + "was expecting a colon.*", "a colon is missing between a key and its value");
      add.accept(
          character + "was expecting double-quote to start field name",
          "a key in double quotes is expected, not $1");
      add.accept(
          character + "(?:was )?expect(?:ed|ing) a (?:valid )?value",
          "a value is expected, not $1");
      add.accept(character, "$1 is not expected here");
      add.accept("Unexpected close marker ('.'): expected ('.')", "$2 is expected, not $1");
      add.accept("Unrecognized token ('.*?'): was expecting", "$1: " + VALUE);
      add.accept(
          "Duplicate (?:field|key|Object property) ['\"](.*?)['\"]", "the key '$1' is given twice");
      add.accept(
          "Document nesting depth \\((\\d+)\\) exceeds the maximum allowed \\((\\d+)",
          "objects and lists inside each other: $1 levels, at most $2 are allowed");
      add.accept(
          "(String value|Number value|Name) length \\((\\d+)\\) exceeds the maximum allowed \\((\\d+)",
          "$1 of $2 characters, at most $3 are allowed");
      add.accept(
          "Illegal unquoted character",
          "a line break or another control character in a string; write it with a backslash");
      add.accept("Trailing token", "more follows after the end of the value");
      return words;
    }

    static String of(String message) {
      for (Map.Entry<Pattern, String> one : WORDS.entrySet()) {
        Matcher matcher = one.getKey().matcher(message);
        if (matcher.matches()) {
          return matcher.replaceFirst(one.getValue());
        }
      }
      int start = message.indexOf(" (start marker at ");
      return start < 0 ? message : message.substring(0, start);
    }
  }

  /**
   * Teaches Jackson to write durations as {@code 30s} and to read every form of {@link Durations}.
   */
  private static final class QuantityModule extends SimpleModule {
    private static final long serialVersionUID = 1L;

    QuantityModule() {
      super("millrace-quantities");
      addSerializer(Duration.class, new DurationWriter());
      addDeserializer(Duration.class, new DurationReader(Durations::read));
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
  }

  private static final class DurationReader extends StdScalarDeserializer<Duration> {
    private static final long serialVersionUID = 1L;

    private final transient Function<String, Duration> form;

    DurationReader(Function<String, Duration> form) {
      super(Duration.class);
      this.form = form;
    }

    @Override
    public Duration deserialize(JsonParser in, DeserializationContext context) throws IOException {
      try {
        return form.apply(in.getText());
      } catch (IllegalArgumentException e) {
        throw (InvalidFormatException)
            new InvalidFormatException(in, e.getMessage(), in.getText(), Duration.class)
                .initCause(e);
      }
    }
  }
}
