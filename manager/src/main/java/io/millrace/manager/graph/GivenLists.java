package io.millrace.manager.graph;

import io.millrace.api.Json;
import io.millrace.api.Pure;
import io.millrace.api.ShownText;
import io.millrace.api.workflow.ValueList;
import io.millrace.manager.graph.WorkflowPlan.GivenList;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;

/** Reads the lists that steps give to templates (J-02: outputs as inputs). Pure; stateless. */
@Pure
public final class GivenLists {
  private GivenLists() {}

  /** What a step gave is not a list that a template may take. */
  public static final class WrongListException extends Exception {
    private static final long serialVersionUID = 1L;

    public WrongListException(String message) {
      super(message);
    }
  }

  /**
   * The values of a list.
   *
   * @param given what the step gave, by name
   */
  public static List<String> read(PlannedTemplate taker, Map<String, String> given)
      throws WrongListException {
    GivenList list = taker.given();
    String place = "gives no list '%s' for template '%s': ".formatted(list.value(), taker.name());
    String text = given.get(list.value());
    if (text == null) {
      throw new WrongListException(place + "it wrote no such value to MILLRACE_OUTPUT");
    }
    List<String> values = text.strip().startsWith("[") ? json(place, text) : separated(text);
    if (values.size() > list.max()) {
      throw new WrongListException(
          place
              + "it has %d values, and at most %d are allowed; raise 'max' or give fewer"
                  .formatted(values.size(), list.max()));
    }
    Set<String> seen = new HashSet<>();
    for (String value : values) {
      require(place, value, seen.add(value));
    }
    return values;
  }

  private static void require(String place, String value, boolean first) throws WrongListException {
    if (!first) {
      throw new WrongListException(
          place + "the value '%s' occurs twice".formatted(ShownText.of(value)));
    }
    if (value.isEmpty()) {
      throw new WrongListException(place + "a value is empty");
    }
    if (value.length() > ValueList.LONGEST_VALUE) {
      throw new WrongListException(
          place + "a value is longer than %d characters".formatted(ValueList.LONGEST_VALUE));
    }
    if (value.chars().anyMatch(Character::isISOControl)) {
      throw new WrongListException(
          place + "the value '%s' has control characters".formatted(ShownText.of(value)));
    }
  }

  private static List<String> separated(String text) {
    List<String> values = new ArrayList<>();
    if (text.isBlank()) {
      return values;
    }
    for (String value : text.split(",", -1)) {
      values.add(value.strip());
    }
    // As tr '\n' ',' leaves it.
    if (values.get(values.size() - 1).isEmpty()) {
      values.remove(values.size() - 1);
    }
    return values;
  }

  private static List<String> json(String place, String text) throws WrongListException {
    Optional<List<String>> values = Json.scalars(text);
    if (values.isEmpty()) {
      throw new WrongListException(
          place + "it is not one JSON array of texts and numbers on one line");
    }
    return values.get();
  }

  /** The lists of a workflow that are known, each read when it is first asked for. One thread. */
  public static final class KnownLists {
    private final IntFunction<List<String>> read;
    private final Map<Integer, List<String>> lists = new HashMap<>();

    public KnownLists(IntFunction<List<String>> read) {
      this.read = read;
    }

    /** Empty if it is not known. */
    public List<String> of(PlannedTemplate template) {
      return lists.computeIfAbsent(template.number(), read::apply);
    }
  }
}
