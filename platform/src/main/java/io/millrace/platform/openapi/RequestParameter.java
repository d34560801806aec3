package io.millrace.platform.openapi;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/**
 * A parameter of requests, declared once: handlers read it only through this constant, and the
 * description of the API is made from it. Immutable.
 *
 * @param place where it stands in a request
 * @param name its name
 * @param description one line for readers of the API's description
 * @param form of which form its values are
 * @param usual its value if the request does not have it; null for none
 * @param required whether a request without it is refused
 * @param reader reads a value that is not empty, or throws IllegalArgumentException or
 *     DateTimeException
 */
public record RequestParameter<T>(
    Place place,
    String name,
    String description,
    ValueForm form,
    T usual,
    boolean required,
    Function<String, T> reader) {
  private static final String DURATION = "a duration such as 30s, 5m or PT1H";

  /** Where a parameter stands. */
  public enum Place {
    PATH,
    QUERY,
    HEADER
  }

  /**
   * The form of a parameter's values.
   *
   * @param type of JSON Schema: string, integer or boolean
   * @param format of JSON Schema; null for none
   * @param expected the form in words, for refusals: {@code a whole number from 1 to 100}
   * @param least the smallest number; null if it is not a number
   * @param most the largest number; null if it is not a number
   * @param values all values; empty if they are not a fixed set
   */
  public record ValueForm(
      String type, String format, String expected, Long least, Long most, List<String> values) {
    /** What is expected of a text of any form. */
    static final String ANY = "a text";

    public ValueForm {
      values = List.copyOf(values);
    }

    static ValueForm text(String format, String expected) {
      return new ValueForm("string", format, expected, null, null, List.of());
    }

    static ValueForm number(long least, long most) {
      String bounds = "a whole number from " + least + " to " + most;
      return new ValueForm("integer", "int64", bounds, least, most, List.of());
    }

    static ValueForm choice(List<String> values) {
      return new ValueForm(
          "string", null, "one of " + String.join(", ", values), null, null, values);
    }

    static ValueForm flag() {
      return new ValueForm("boolean", null, "true or false", null, null, List.of());
    }
  }

  /** A text of the query; null if absent. */
  public static RequestParameter<String> text(String name, String description) {
    return query(name, description, ValueForm.text(null, ValueForm.ANY), null, Function.identity());
  }

  /** A number of the query within bounds. */
  public static RequestParameter<Long> number(
      String name, String description, long usual, long least, long most) {
    return query(name, description, ValueForm.number(least, most), usual, bounded(least, most));
  }

  /** A number of the query within bounds; null if absent. */
  public static RequestParameter<Long> optionalNumber(
      String name, String description, long least, long most) {
    return query(name, description, ValueForm.number(least, most), null, bounded(least, most));
  }

  /** A boolean of the query; false if absent, true if it has no value. */
  public static RequestParameter<Boolean> flag(String name, String description) {
    return query(name, description, ValueForm.flag(), false, RequestParameter::truth);
  }

  /** A duration of the query; a longer one than the longest is shortened to it. */
  public static RequestParameter<Duration> duration(
      String name, String description, Duration usual, Duration longest) {
    return query(
        name,
        description,
        ValueForm.text(null, DURATION),
        usual,
        text -> {
          Duration asked = Durations.read(text);
          return asked.compareTo(longest) < 0 ? asked : longest;
        });
  }

  /** An instant of the query; null if absent. */
  public static RequestParameter<Instant> instant(String name, String description) {
    ValueForm form = ValueForm.text("date-time", "a time such as 2026-01-31T12:00:00Z");
    return query(name, description, form, null, Instant::parse);
  }

  /** One of a few words of the query. */
  public static RequestParameter<String> choice(
      String name, String description, String usual, List<String> values) {
    return query(name, description, ValueForm.choice(values), usual, text -> one(text, values));
  }

  /** A value of the query with a text form of its own; null if absent. */
  public static <T> RequestParameter<T> value(
      String name, String description, String expected, Function<String, T> reader) {
    return query(name, description, ValueForm.text(null, expected), null, reader);
  }

  /** A text of the path. */
  public static RequestParameter<String> pathText(String name, String description) {
    return path(name, description, ValueForm.text(null, ValueForm.ANY), Function.identity());
  }

  /** A number of the path. */
  public static RequestParameter<Long> pathNumber(String name, String description, long least) {
    return pathNumber(name, description, least, Long.MAX_VALUE);
  }

  /** A number of the path with a greatest value. */
  public static RequestParameter<Long> pathNumber(
      String name, String description, long least, long most) {
    return path(name, description, ValueForm.number(least, most), bounded(least, most));
  }

  /** A UUID of the path. */
  public static RequestParameter<UUID> pathId(String name, String description) {
    return path(name, description, ValueForm.text("uuid", "a UUID"), UUID::fromString);
  }

  /** One of a few words of the path. */
  public static RequestParameter<String> pathChoice(
      String name, String description, List<String> values) {
    return path(name, description, ValueForm.choice(values), text -> one(text, values));
  }

  /** A value of the path with a text form of its own. */
  public static <T> RequestParameter<T> pathValue(
      String name, String description, String expected, Function<String, T> reader) {
    return path(name, description, ValueForm.text(null, expected), reader);
  }

  /** A header; null if absent. */
  public static RequestParameter<String> header(String name, String description) {
    ValueForm form = ValueForm.text(null, ValueForm.ANY);
    return new RequestParameter<>(
        Place.HEADER, name, description, form, null, false, Function.identity());
  }

  /** The same parameter, without which a request is refused. */
  public RequestParameter<T> demanded() {
    return new RequestParameter<>(place, name, description, form, null, true, reader);
  }

  /**
   * The value of a text of the request.
   *
   * @param text null if the request does not have it; an empty one counts as absent, except of a
   *     flag
   * @throws MillraceException INVALID_REQUEST if it is missing or of another form
   */
  public T of(String text) {
    boolean flag = form.type().equals("boolean");
    if (text == null || (text.isEmpty() && !flag)) {
      if (required) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST, name + " is missing: " + description);
      }
      return usual;
    }
    try {
      return reader.apply(text);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          name + " must be " + form.expected() + ", not '" + ShownText.of(text) + "'",
          e);
    }
  }

  private static <T> RequestParameter<T> query(
      String name, String description, ValueForm form, T usual, Function<String, T> reader) {
    return new RequestParameter<>(Place.QUERY, name, description, form, usual, false, reader);
  }

  private static <T> RequestParameter<T> path(
      String name, String description, ValueForm form, Function<String, T> reader) {
    return new RequestParameter<>(Place.PATH, name, description, form, null, true, reader);
  }

  private static Function<String, Long> bounded(long least, long most) {
    return text -> {
      long value = Long.parseLong(text);
      if (value < least || value > most) {
        throw new IllegalArgumentException("out of bounds");
      }
      return value;
    };
  }

  private static String one(String text, List<String> values) {
    if (!values.contains(text)) {
      throw new IllegalArgumentException("not one of them");
    }
    return text;
  }

  private static boolean truth(String text) {
    if (text.isEmpty() || text.equals("true")) {
      return true;
    }
    if (text.equals("false")) {
      return false;
    }
    throw new IllegalArgumentException("neither");
  }
}
