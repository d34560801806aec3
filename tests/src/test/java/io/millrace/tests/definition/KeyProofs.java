package io.millrace.tests.definition;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Json;
import io.millrace.platform.document.YamlReader;
import io.millrace.tests.house.SourceTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.Executable;

/**
 * A proof for each key of one kind of definition: that a change of the key changes what is observed
 * of the product, or that it is refused with the reason.
 *
 * @param <T> what the text of a definition is read as
 */
final class KeyProofs<T> {
  private static final Map<String, String> FOLDERS =
      Map.of(
          "manager", "manager",
          "executor-node", "executor",
          "queue-node", "queuenode",
          "submit-cli", "cli",
          "tests", "tests");

  private final String base;
  private final Reading<T> reading;
  private final Map<String, List<DynamicTest>> tests = new LinkedHashMap<>();

  /**
   * Without proofs yet.
   *
   * @param base the smallest definition, as YAML
   */
  KeyProofs(String base, Reading<T> reading) {
    this.base = base;
    this.reading = reading;
  }

  /** Reads a definition as it is read when a user applies or submits it. */
  interface Reading<T> {
    /**
     * The definition.
     *
     * @throws Refusal with the messages if it is refused
     */
    T read(ObjectNode definition) throws Refusal;
  }

  /** A definition was refused. */
  static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    Refusal(String messages) {
      super(messages);
    }
  }

  /** Something of the product that a definition decides. */
  interface Observable<T> {
    Object of(T definition) throws Exception;
  }

  /** A change of the key alone changes what is observed. */
  KeyProofs<T> acts(String key, String change, Observable<? super T> observed) {
    return acts(key, "", change, observed);
  }

  /**
   * The same beside other keys.
   *
   * @param beside further keys, as YAML
   * @param change the value of the key, as YAML
   */
  KeyProofs<T> acts(String key, String beside, String change, Observable<? super T> observed) {
    return add(
        key,
        () -> {
          ObjectNode before = merged(beside);
          Object first = observed.of(reading.read(before));
          Object second = observed.of(reading.read(changed(before, key, change)));
          assertThat(second).as("%s: %s", key, change).isNotEqualTo(first);
        });
  }

  /** The key is refused, beside other keys, with a message that names it and the reason. */
  KeyProofs<T> refused(String key, String beside, String change, String reason) {
    return add(
        key,
        () -> {
          ObjectNode before = merged(beside);
          reading.read(before);
          String messages = "";
          try {
            reading.read(changed(before, key, change));
          } catch (Refusal refusal) {
            messages = refusal.getMessage();
          }
          String name = key.substring(key.lastIndexOf('.') + 1);
          assertThat(messages).as("%s: %s", key, change).contains(name).contains(reason);
        });
  }

  /**
   * What the key does is shown by another test.
   *
   * @param test such as {@code manager:task/RunServiceTest#aRunThatExceedsItsTimeoutFails}
   */
  KeyProofs<T> shown(String key, String test) {
    return add(
        key,
        () -> {
          String[] parts = test.split("[:#]");
          Path file =
              SourceTree.root()
                  .resolve(parts[0] + "/src/test/java/io/millrace/" + FOLDERS.get(parts[0]))
                  .resolve(parts[1] + ".java");
          assertThat(Files.readString(file)).as(test).contains("void " + parts[2] + "(");
        });
  }

  private KeyProofs<T> add(String key, Executable proof) {
    List<DynamicTest> proofs = tests.computeIfAbsent(key, none -> new ArrayList<>());
    proofs.add(DynamicTest.dynamicTest(key, proof));
    return this;
  }

  /** All proofs as tests. */
  Stream<DynamicTest> all() {
    return tests.values().stream().flatMap(List::stream);
  }

  /** Those of the keys that have none; a proof of an outer key is one of all its inner keys. */
  List<String> lacking(List<String> keys) {
    return keys.stream().filter(key -> tests.keySet().stream().noneMatch(is(key))).toList();
  }

  /** Proofs of keys that do not exist. */
  List<String> superfluous(List<String> keys) {
    return tests.keySet().stream()
        .filter(one -> keys.stream().noneMatch(key -> is(key).test(one)))
        .toList();
  }

  private static Predicate<String> is(String key) {
    return proved -> key.equals(proved) || key.startsWith(proved + ".");
  }

  private ObjectNode merged(String beside) {
    ObjectNode all = yaml(base);
    merge(all, yaml("{" + beside + "}"));
    return all;
  }

  private static void merge(ObjectNode into, ObjectNode more) {
    more.properties()
        .forEach(
            field -> {
              boolean both = into.get(field.getKey()) instanceof ObjectNode;
              if (both && field.getValue() instanceof ObjectNode inner) {
                merge((ObjectNode) into.get(field.getKey()), inner);
              } else {
                into.set(field.getKey(), field.getValue());
              }
            });
  }

  private static ObjectNode changed(ObjectNode before, String key, String change) {
    ObjectNode after = before.deepCopy();
    ObjectNode owner = after;
    String[] names = key.split("\\.");
    for (int i = 0; i < names.length - 1; i++) {
      // A number names an element of a list that is there.
      JsonNode inner = owner.get(names[i]);
      owner =
          inner instanceof ArrayNode list
              ? (ObjectNode) list.get(Integer.parseInt(names[++i]))
              : owner.withObjectProperty(names[i]);
    }
    owner.set(names[names.length - 1], yaml("{value: " + change + "}").get("value"));
    return after;
  }

  private static ObjectNode yaml(String text) {
    List<String> problems = new ArrayList<>();
    JsonNode content = YamlReader.verbatim("proof.yaml", text, problems).get(0).content();
    assertThat(problems).as(text).isEmpty();
    return Json.mapper().convertValue(content, ObjectNode.class);
  }
}
