package io.millrace.platform.document;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Binds a document, a tree of objects, lists and single values, to a record whose components are
 * named like the keys. Unknown keys (unless they are ignored), null elements, values of another
 * form and whatever a record's constructor refuses are problems; all are found in one pass, which
 * ends after 1,000 of them. A component is a single value, a List, a Set, a Map with String keys,
 * an Optional, another record, or a JsonNode, which is any document. Thread-safe.
 */
public final class DocumentBinder {
  // A body of millions of wrong elements must neither fill the heap with their descriptions nor
  // occupy a processor: each wrong key is compared with all known ones.
  private static final int MAX_PROBLEMS = 1_000;
  private static final int LONGEST_PATH = 200;
  private static final int LONGEST_TEXT = 2_000;
  private static final Object BROKEN = new Object();

  private final JsonMapper mapper;
  private final Values values;
  private final Absent absent;
  private final boolean unknownRefused;
  private final boolean zeroRefused;
  // By record; the introspection of one takes longer than reading a document.
  private final Map<JavaType, RecordType> records = new ConcurrentHashMap<>();
  // By record that is a document or an element, as far as one had an unknown key.
  private final Map<JavaType, Map<String, String>> places = new ConcurrentHashMap<>();

  /** A binder whose single values are read by the mapper and whose keys may all be absent. */
  public DocumentBinder(JsonMapper mapper) {
    this(mapper, Absent.LEFT_TO_CONSTRUCTOR, null, true, false);
  }

  public DocumentBinder(JsonMapper mapper, Absent absent, Values values) {
    this(mapper, absent, values, true, false);
  }

  /** Null values are those of the mapper. */
  private DocumentBinder(
      JsonMapper mapper,
      Absent absent,
      Values values,
      boolean unknownRefused,
      boolean zeroRefused) {
    this.mapper = unknownRefused ? mapper.rebuild().addModule(Json.written()).build() : mapper;
    this.absent = absent;
    this.values = values == null ? this.mapper::treeToValue : values;
    this.unknownRefused = unknownRefused;
    this.zeroRefused = zeroRefused;
  }

  /** The same for what programs of any version send: unknown keys are ignored. */
  public static DocumentBinder tolerant(JsonMapper mapper) {
    return new DocumentBinder(mapper, Absent.LEFT_TO_CONSTRUCTOR, null, false, false);
  }

  /**
   * The same for files that people write: a 0 is a problem where the record's constructor takes it
   * as absent, so that nobody gets the default who has written "none".
   */
  public static DocumentBinder ofFiles(JsonMapper mapper) {
    return new DocumentBinder(mapper, Absent.LEFT_TO_CONSTRUCTOR, null, true, true);
  }

  /** Reads a record. */
  public <T extends Record> Binding<T> bind(JsonNode document, Class<T> type) {
    return bind(document, type, null);
  }

  /**
   * Reads a record. A broken value is replaced by the substitute of its path, or left out, so that
   * the rules of the constructors are checked as well.
   *
   * @param substitutes a document without problems
   */
  public <T extends Record> Binding<T> bind(
      JsonNode document, Class<T> type, ObjectNode substitutes) {
    Pass pass = new Pass();
    Object read = pass.record(document, mapper.constructType(type), "", null, substitutes);
    return pass.binding(read == BROKEN ? Optional.empty() : Optional.of(type.cast(read)));
  }

  /**
   * Reads a list of records; the path of a problem begins with the index of its element. Elements
   * that the mapper reads are taken as they are, so that one bad job among thousands is found fast.
   */
  public <T extends Record> Binding<List<T>> bindList(JsonNode document, Class<T> type) {
    Pass pass = new Pass();
    List<T> read = new ArrayList<>();
    if (!document.isArray()) {
      pass.problem("", Expectation.LIST + Expectation.found(document));
      return pass.binding(Optional.empty());
    }
    for (int i = 0; i < document.size() && !pass.truncated(); i++) {
      JsonNode element = document.get(i);
      // The mapper does not know the rule for zeros.
      Optional<T> direct = zeroRefused ? Optional.empty() : read(element, type);
      Object one =
          direct.isPresent()
              ? direct.get()
              : pass.value(element, mapper.constructType(type), "[" + i + "]");
      if (one != BROKEN) {
        read.add(type.cast(one));
      }
    }
    return pass.binding(pass.problems.isEmpty() ? Optional.of(read) : Optional.empty());
  }

  private <T> Optional<T> read(JsonNode element, Class<T> type) {
    try {
      return Optional.ofNullable(mapper.treeToValue(element, type));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private RecordType recordType(JavaType type) {
    return records.computeIfAbsent(type, one -> RecordType.of(mapper, one));
  }

  private UnknownKeys unknownKeys(JsonNode document, JavaType type, String path) {
    return new UnknownKeys(
        document,
        path,
        () ->
            places.computeIfAbsent(
                type,
                root ->
                    UnknownKeys.places(
                        recordType(root), one -> isPlainRecord(one) ? recordType(one) : null)));
  }

  private boolean isPlainRecord(JavaType type) {
    // A record with a text form, as a size or a range has, is a single value.
    return type.isRecordType()
        && mapper.getSerializationConfig().introspect(type).findJsonValueAccessor() == null;
  }

  /** Whether a record may also be written as one value, or as a list, that its creator takes. */
  private boolean isCreatedFrom(JavaType type, Class<?> written) {
    return mapper.getDeserializationConfig().introspect(type).getFactoryMethodsWithMode().stream()
        .anyMatch(
            creator ->
                creator.metadata != JsonCreator.Mode.PROPERTIES
                    && creator.annotated.getParameterCount() == 1
                    && creator.annotated.getRawParameterType(0) == written);
  }

  static String join(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /** Reads the single values of one kind of document. */
  @FunctionalInterface
  public interface Values {
    /**
     * Reads a value.
     *
     * @return null if it has another form
     * @throws JsonProcessingException if it has another form; an IllegalArgumentException as its
     *     cause, or thrown instead, describes the problem
     */
    Object read(JsonNode node, JavaType type) throws JsonProcessingException;
  }

  /** What it means that a key is absent. */
  public enum Absent {
    /** The record's constructor gets null, 0 or false. */
    LEFT_TO_CONSTRUCTOR,
    /**
     * The component of the record's {@code static R defaults()}; without one, it is a problem
     * unless the component is an Optional or a record.
     */
    DEFAULT_OR_PROBLEM
  }

  /**
   * One thing that is wrong.
   *
   * @param path of the key, for instance {@code peers[0].name}; empty for the document
   * @param text what is wrong and what to do
   */
  public record BindingProblem(String path, String text) {
    @Override
    public String toString() {
      return path.isEmpty() ? text : path + ": " + text;
    }
  }

  /**
   * What came of a document.
   *
   * @param value empty if it could not be made
   * @param problems what is wrong
   * @param truncated whether the document was read no further because it has too many problems
   */
  public record Binding<T>(Optional<T> value, List<BindingProblem> problems, boolean truncated) {
    public Binding {
      problems = List.copyOf(problems);
    }
  }

  /** One reading of one document. One thread only. */
  private final class Pass {
    private final List<BindingProblem> problems = new ArrayList<>();
    private UnknownKeys unknown;

    private boolean truncated() {
      return problems.size() >= MAX_PROBLEMS;
    }

    <T> Binding<T> binding(Optional<T> value) {
      return new Binding<>(value, problems, truncated());
    }

    Object record(JsonNode node, JavaType type, String path, Record base, ObjectNode substitutes) {
      if (!(node instanceof ObjectNode object)) {
        return problem(path, Expectation.OBJECT + Expectation.found(node));
      }
      int before = problems.size();
      RecordType record = recordType(type);
      unknown = unknown == null ? unknownKeys(node, type, path) : unknown;
      Record defaults = absent == Absent.LEFT_TO_CONSTRUCTOR ? null : record.defaults(base);
      Object[] read = new Object[record.size()];
      boolean[] given = new boolean[record.size()];
      boolean[] zero = new boolean[record.size()];
      // Listed once, because an object may have thousands of unknown keys.
      List<String> known = record.names();
      for (Map.Entry<String, JsonNode> field : object.properties()) {
        if (truncated()) {
          return BROKEN;
        }
        Integer index = record.index(field.getKey());
        String inner = join(path, field.getKey());
        if (index == null) {
          if (unknownRefused) {
            problem(inner, unknown.described(field.getKey(), record, known));
            known = List.of();
          }
        } else if (!field.getValue().isNull()) {
          given[index] = true;
          read[index] =
              component(
                  field.getValue(),
                  record.type(index),
                  inner,
                  record.component(index, defaults),
                  substitute(substitutes, field.getKey()));
          zero[index] = isZero(read[index]);
        }
      }
      boolean incomplete = false;
      for (int i = 0; i < read.length; i++) {
        if (record.unwrapped(i)) {
          read[i] = record(node, record.type(i), path, null, null);
        } else if (!given[i]) {
          read[i] = absent(record, i, path, defaults);
        } else if (read[i] == BROKEN) {
          incomplete = true;
          read[i] = replaced(record, i, substitutes);
        }
      }
      if (substitutes == null && (problems.size() > before || truncated())) {
        return BROKEN;
      }
      Object made = construct(record, read, path, substitutes, incomplete);
      return zeroRefused && made instanceof Record owner
          ? withoutZeros(record, zero, owner, path)
          : made;
    }

    /** The record, unless it has another number where 0 was written. */
    private Object withoutZeros(RecordType record, boolean[] zero, Record made, String path) {
      Object result = made;
      for (int i = 0; i < zero.length; i++) {
        Object used = zero[i] ? record.component(i, made) : null;
        if (used instanceof Number && !isZero(used)) {
          result =
              problem(
                  join(path, record.names().get(i)),
                  "0 is not allowed; leave it out for the default, " + used);
        }
      }
      return result;
    }

    private static boolean isZero(Object value) {
      return value instanceof Number number && number.doubleValue() == 0;
    }

    private Object component(
        JsonNode node, JavaType type, String path, Object base, JsonNode substitute) {
      if (!isPlainRecord(type) || node.isTextual()) {
        return value(node, type, path);
      }
      int before = problems.size();
      Object read =
          record(
              node,
              type,
              path,
              (Record) base,
              substitute instanceof ObjectNode object ? object : null);
      return problems.size() == before ? read : BROKEN;
    }

    private Object absent(RecordType record, int index, String path, Record defaults) {
      if (absent == Absent.LEFT_TO_CONSTRUCTOR) {
        return record.nothing(index);
      }
      Object fallback = record.component(index, defaults);
      JavaType type = record.type(index);
      String inner = join(path, record.names().get(index));
      if (fallback != null) {
        return fallback;
      }
      if (isPlainRecord(type)) {
        return record(JsonNodeFactory.instance.objectNode(), type, inner, null, null);
      }
      return type.getRawClass() == Optional.class
          ? Optional.empty()
          : problem(inner, "missing; this key has no default and must be given");
    }

    private JsonNode substitute(ObjectNode substitutes, String name) {
      if (substitutes == null) {
        return null;
      }
      JsonNode found = substitutes.get(name);
      return found == null ? JsonNodeFactory.instance.objectNode() : found;
    }

    /** The substitute of a broken component; the same as absent if there is none. */
    private Object replaced(RecordType record, int index, ObjectNode substitutes) {
      JsonNode node = substitutes == null ? null : substitutes.get(record.names().get(index));
      return node == null
          ? record.nothing(index)
          : new Pass().component(node, record.type(index), "", null, null);
    }

    private Object construct(
        RecordType record, Object[] read, String path, ObjectNode substitutes, boolean incomplete) {
      Set<Integer> replaced = new HashSet<>();
      Set<String> told = new HashSet<>();
      while (true) {
        try {
          return record.construct(read);
        } catch (InvocationTargetException e) {
          String rule = rule(e.getCause());
          Integer index = substitutes == null ? null : record.index(named(rule, path));
          if (index == null && incomplete) {
            // The rule may be broken only because of the component that was replaced.
            return BROKEN;
          }
          if (!told.add(rule)) {
            // Nothing replaces the component, so that the same rule is broken again.
            return BROKEN;
          }
          if (index == null || !replaced.add(index)) {
            return problem(path, withoutPath(rule, path));
          }
          problem(join(path, record.names().get(index)), rule);
          read[index] = replaced(record, index, substitutes);
        }
      }
    }

    private Object value(JsonNode node, JavaType type, String path) {
      if (node.isNull()) {
        return problem(path, "null is not allowed; leave it out");
      }
      if (type.getRawClass() == JsonNode.class) {
        return node;
      }
      if (type.getRawClass() == Optional.class) {
        Object read = value(node, type.containedType(0), path);
        return read == BROKEN ? BROKEN : Optional.of(read);
      }
      if (isPlainRecord(type) && !(node.isTextual() && isCreatedFrom(type, String.class))) {
        return element(node, type, path);
      }
      if (type.isCollectionLikeType()) {
        return list(node, type, path);
      }
      if (type.isMapLikeType() && type.getKeyType().hasRawClass(String.class)) {
        return map(node, type, path);
      }
      return single(node, type, path);
    }

    /** A record in a list or map: what stands outside of it is no place for its keys. */
    private Object element(JsonNode node, JavaType type, String path) {
      UnknownKeys outside = unknown;
      unknown = null;
      Object read = record(node, type, path, null, null);
      unknown = outside;
      return read;
    }

    Object list(JsonNode node, JavaType type, String path) {
      if (!node.isArray()) {
        return problem(path, Expectation.LIST + Expectation.found(node));
      }
      Collection<Object> elements =
          Set.class.isAssignableFrom(type.getRawClass())
              ? new LinkedHashSet<>()
              : new ArrayList<>(node.size());
      boolean broken = false;
      for (int i = 0; i < node.size(); i++) {
        if (truncated()) {
          return BROKEN;
        }
        Object element = value(node.get(i), type.getContentType(), path + "[" + i + "]");
        broken |= element == BROKEN;
        elements.add(element);
      }
      if (broken) {
        return BROKEN;
      }
      return elements instanceof List<Object> list
          ? Collections.unmodifiableList(list)
          : Collections.unmodifiableSet((Set<Object>) elements);
    }

    private Object map(JsonNode node, JavaType type, String path) {
      if (!node.isObject()) {
        return problem(path, Expectation.OBJECT + Expectation.found(node));
      }
      Map<String, Object> entries = new LinkedHashMap<>();
      boolean broken = false;
      for (Map.Entry<String, JsonNode> entry : node.properties()) {
        if (truncated()) {
          return BROKEN;
        }
        Object value = value(entry.getValue(), type.getContentType(), join(path, entry.getKey()));
        broken |= value == BROKEN;
        entries.put(entry.getKey(), value);
      }
      return broken ? BROKEN : entries;
    }

    private Object single(JsonNode node, JavaType type, String path) {
      if (node.isContainerNode() && !(type.isRecordType() && isCreatedFrom(type, Object.class))) {
        return problem(path, "expected one value, " + Expectation.found(node));
      }
      String explanation = null;
      try {
        Object read = values.read(node, type);
        if (read != null) {
          return read;
        }
      } catch (JsonProcessingException
          | IllegalArgumentException
          | ArithmeticException
          | MillraceException e) {
        explanation = explained(e).orElse(null);
      }
      return problem(
          path,
          explanation == null ? Expectation.of(type.getRawClass(), node, mapper) : explanation);
    }

    private Object problem(String path, String text) {
      if (!truncated()) {
        problems.add(
            new BindingProblem(
                Expectation.shortened(path, LONGEST_PATH),
                Expectation.shortened(text, LONGEST_TEXT)));
      }
      return BROKEN;
    }
  }

  // The message of a record or value type explains a value best.
  private static Optional<String> explained(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof MillraceException
          || cause instanceof IllegalArgumentException
          || cause instanceof ArithmeticException) {
        return Optional.ofNullable(cause.getMessage());
      }
    }
    return Optional.empty();
  }

  private static String rule(Throwable refusal) {
    return explained(refusal)
        .orElseGet(
            () ->
                refusal instanceof NullPointerException
                    ? "a value is missing"
                    : String.valueOf(refusal.getMessage()));
  }

  /** The place of a problem names the path, so that its text need not. */
  private static String withoutPath(String rule, String path) {
    String repeated = path + ": ";
    return rule.startsWith(repeated) ? rule.substring(repeated.length()) : rule;
  }

  /** The component that a rule is about: rules begin with the path of their key. */
  private static String named(String rule, String path) {
    String first = rule.substring(0, Math.max(0, rule.indexOf(' ')));
    return first.startsWith(path + ".") ? first.substring(path.length() + 1) : first;
  }

  /** The value of a component, whether or not its record is public. */
  public static Object value(RecordComponent component, Record owner) {
    try {
      Method accessor = component.getAccessor();
      accessor.setAccessible(true);
      return accessor.invoke(owner);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("unreadable record " + owner, e);
    }
  }
}
