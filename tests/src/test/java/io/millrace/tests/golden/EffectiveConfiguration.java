package io.millrace.tests.golden;

import io.millrace.api.DataSize;
import io.millrace.api.Durations;
import io.millrace.platform.document.DocumentBinder;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Shows the configuration that is in force, defaults included, without its secrets. */
final class EffectiveConfiguration {

  private static final Pattern SECRET =
      Pattern.compile("password|secret|token|key", Pattern.CASE_INSENSITIVE);
  private static final Pattern SECRET_IN_URL =
      Pattern.compile("((?:password|secret|token)=)[^&;]*", Pattern.CASE_INSENSITIVE);
  private static final Pattern CREDENTIALS_IN_URL = Pattern.compile("(//[^/:@]*):[^/@]*@");
  private static final String MASK = "********";

  private EffectiveConfiguration() {}

  /**
   * The record tree as YAML. Values of keys whose names contain password, secret, token or key are
   * masked, as are credentials inside URLs.
   */
  static String print(Record configuration) {
    StringBuilder out = new StringBuilder();
    printRecord(configuration, "", out);
    return out.toString();
  }

  private static void printRecord(Record owner, String indent, StringBuilder out) {
    for (RecordComponent component : owner.getClass().getRecordComponents()) {
      printEntry(component.getName(), DocumentBinder.value(component, owner), indent, out);
    }
  }

  private static void printEntry(String name, Object value, String indent, StringBuilder out) {
    if (value instanceof Optional<?> optional) {
      optional.ifPresent(present -> printEntry(name, present, indent, out));
      return;
    }
    out.append(indent).append(name).append(':');
    if (isSection(value)) {
      out.append('\n');
      printRecord((Record) value, indent + "  ", out);
    } else if (value instanceof Map<?, ?> map && !map.isEmpty()) {
      out.append('\n');
      map.forEach((key, entry) -> printEntry(String.valueOf(key), entry, indent + "  ", out));
    } else if (value instanceof Collection<?> items && !items.isEmpty()) {
      out.append('\n');
      items.forEach(item -> printItem(name, item, indent, out));
    } else {
      out.append(' ').append(text(name, value)).append('\n');
    }
  }

  private static void printItem(String name, Object item, String indent, StringBuilder out) {
    if (isSection(item)) {
      out.append(indent).append("  -\n");
      printRecord((Record) item, indent + "    ", out);
    } else {
      out.append(indent).append("  - ").append(text(name, item)).append('\n');
    }
  }

  /** A record with its own text form, such as a size, is a value and not a section. */
  private static boolean isSection(Object value) {
    return value instanceof Record && !(value instanceof DataSize);
  }

  private static String text(String name, Object value) {
    if (SECRET.matcher(name).find()) {
      return MASK;
    }
    if (value instanceof Duration duration) {
      return Durations.format(duration);
    }
    if (value instanceof Collection<?>) {
      return "[]";
    }
    if (value instanceof Map<?, ?>) {
      return "{}";
    }
    String plain = String.valueOf(value);
    String masked = SECRET_IN_URL.matcher(plain).replaceAll("$1" + MASK);
    return CREDENTIALS_IN_URL.matcher(masked).replaceAll("$1:" + MASK + "@");
  }
}
