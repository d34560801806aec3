package io.millrace.tests.statement;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.manager.node.NodeKind;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Dialect;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Creates argument values for every parameter type of the Daos, matching the rows of {@link Seeds}.
 */
final class Arguments {
  static final String TEXT = "x";
  static final UUID ID = new UUID(0, 1);

  /** After all times of those rows, so that searches for older rows find them. */
  static final Instant TIME = Instant.parse("2021-01-01T00:00:00Z");

  // The only boxed integers among the parameters are points of weights, which must add up.
  private static final int WHOLE_WEIGHT = 1_000;

  /** Rows that are changed in memory, and are therefore no records. */
  private static final Set<String> ROWS = Set.of("TemplateRow", "StepBlock");

  private Arguments() {}

  /** Null if no value can be created. */
  static Object of(Type type, Handle handle) {
    if (type instanceof ParameterizedType generic) {
      return ofGeneric((Class<?>) generic.getRawType(), generic.getActualTypeArguments(), handle);
    }
    return type instanceof Class<?> plain ? ofPlain(plain, handle) : null;
  }

  private static Object ofGeneric(Class<?> raw, Type[] types, Handle handle) {
    Object first = of(types[0], handle);
    if (first == null) {
      return null;
    }
    if (raw == NavigableSet.class || raw == SortedSet.class) {
      return new TreeSet<>(Set.of(first));
    }
    if (raw == List.class || raw == Collection.class) {
      return List.of(first);
    }
    if (raw == Set.class) {
      return Set.of(first);
    }
    if (raw == Optional.class) {
      return Optional.of(first);
    }
    if (Map.class.isAssignableFrom(raw)) {
      Object value = of(types[1], handle);
      if (value == null) {
        return null;
      }
      return raw == Map.class ? Map.of(first, value) : new TreeMap<>(Map.of(first, value));
    }
    return null;
  }

  private static Object ofPlain(Class<?> type, Handle handle) {
    if (type == Handle.class) {
      return handle;
    }
    if (type == String.class || type == Object.class) {
      return TEXT;
    }
    if (type == int.class) {
      return 1;
    }
    if (type == Integer.class) {
      return WHOLE_WEIGHT;
    }
    if (type == long.class || type == Long.class) {
      return 1L;
    }
    if (type == double.class || type == Double.class) {
      return 1.0;
    }
    if (type == boolean.class || type == Boolean.class) {
      return true;
    }
    if (type.isEnum()) {
      return Map.<Class<?>, Object>of(
              Dialect.class, Dialect.MYSQL, NodeKind.class, NodeKind.EXECUTION)
          .getOrDefault(type, type.getEnumConstants()[0]);
    }
    if (type == JobSpec.class) {
      return JobDraft.command(TEXT).name(TEXT).spec();
    }
    if (type.isRecord()) {
      return ofRecord(type, handle);
    }
    if (type == byte[].class) {
      return new byte[] {2, 1};
    }
    if (ROWS.contains(type.getSimpleName())) {
      return ofClass(type, handle);
    }
    return Map.<Class<?>, Object>of(
            UUID.class,
            ID,
            Instant.class,
            TIME,
            Duration.class,
            Duration.ofSeconds(60),
            URI.class,
            URI.create("http://127.0.0.1:1"),
            JsonNode.class,
            NullNode.getInstance(),
            Clock.class,
            new SystemClock())
        .get(type);
  }

  private static Object ofClass(Class<?> type, Handle handle) {
    Constructor<?> constructor = type.getDeclaredConstructors()[0];
    Object[] values =
        Stream.of(constructor.getGenericParameterTypes()).map(one -> of(one, handle)).toArray();
    try {
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  // Uses null if a value cannot be created or is refused.
  private static Object ofRecord(Class<?> type, Handle handle) {
    RecordComponent[] parts = type.getRecordComponents();
    Class<?>[] types = new Class<?>[parts.length];
    Object[] values = new Object[parts.length];
    for (int i = 0; i < parts.length; i++) {
      types[i] = parts[i].getType();
      values[i] = of(parts[i].getGenericType(), handle);
    }
    try {
      var constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }
}
