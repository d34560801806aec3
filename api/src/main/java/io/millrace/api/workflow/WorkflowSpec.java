package io.millrace.api.workflow;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.ShownText;
import io.millrace.api.job.JobSpec;
import io.millrace.api.notification.Notification;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A graph of steps (J-01, J-02), without the steps that are listed one by one.
 *
 * @param name 1 to 60 characters: letters, digits, dot, dash, underscore
 * @param arguments values for the whole run, written {@code {workflow.NAME}} in commands; null for
 *     none
 * @param templates what its steps run, by name, in an order that only matters to readers
 * @param maxRunning most steps that run at the same time; 0 pauses it; null for any number
 * @param failFast whether no further step starts once one has failed; steps that run continue
 * @param timeout of the whole run, after which it is cancelled and fails; null for none
 * @param priority added to the priority of each step's job
 * @param onFailure a job that is submitted when the run fails; null for none
 * @param onSuccess a job that is submitted when the run succeeds; null for none
 * @param notification whom to notify of its failure or delay; null for none
 */
public record WorkflowSpec(
    String name,
    Map<String, String> arguments,
    Map<String, StepTemplate> templates,
    Integer maxRunning,
    boolean failFast,
    Duration timeout,
    int priority,
    JobSpec onFailure,
    JobSpec onSuccess,
    @JsonProperty("notify") Notification notification) {
  /** The most templates of a workflow. */
  public static final int MAX_TEMPLATES = 10_000;

  /** The most steps of a workflow. */
  public static final int MAX_STEPS = 5_000_000;

  /** The most characters of an argument's value. */
  public static final int LONGEST_ARGUMENT = 64 * 1024;

  /** The most characters of the values of all arguments. */
  public static final int LONGEST_ARGUMENTS = 1024 * 1024;

  public WorkflowSpec {
    Names.require("name", name, ErrorCode.INVALID_DEFINITION);
    arguments = ordered(arguments);
    templates = ordered(templates);
    require(
        !templates.isEmpty() && templates.size() <= MAX_TEMPLATES,
        "templates: there must be from 1 to " + MAX_TEMPLATES + ", not " + templates.size());
    templates
        .keySet()
        .forEach(key -> Names.require("a template's name", key, ErrorCode.INVALID_DEFINITION));
    arguments
        .keySet()
        .forEach(key -> Names.require("an argument's name", key, ErrorCode.INVALID_DEFINITION));
    requireLengths(arguments);
    require(maxRunning == null || maxRunning >= 0, "maxRunning must not be negative");
    require(
        timeout == null || timeout.compareTo(Duration.ofSeconds(1)) >= 0,
        "timeout must be at least 1s");
  }

  /**
   * What equal steps run.
   *
   * @param job the job of each step; {@code {NAME}} in its command or arguments, environment,
   *     working directory and standard input is replaced by the step's argument of that name
   * @param each the values of its arguments; a step is made for each combination of them, the last
   *     argument varying fastest; only the first may be a list that a step gives; null for none
   * @param listed whether its steps are listed one by one, with their arguments; otherwise and
   *     without {@code each} it has one step
   * @param needs what all its steps wait for; null for nothing
   * @param maxRunning most steps of it that run at the same time; 0 pauses it; null for any number
   * @param breaker when no further steps are started because they fail; null for the usual rule
   */
  public record StepTemplate(
      JobSpec job,
      @JsonSerialize(using = WrittenOrder.class) Map<String, ValueList> each,
      boolean listed,
      List<StepNeed> needs,
      Integer maxRunning,
      BreakerRule breaker) {
    public StepTemplate {
      require(job != null, "job is missing: write at least job.command");
      require(
          job.single() == null
              && job.array() == null
              && job.after().isEmpty()
              && job.input() == null
              && job.lane() == null
              && job.notBefore() == null
              && job.deadline() == null
              && job.notification() == null
              && !job.hold()
              && !job.restart(),
          "job: single, array, after, input, lane, notBefore, deadline, notify, hold and restart"
              + " are not allowed in workflows");
      each = ordered(each);
      needs = needs == null ? List.of() : List.copyOf(needs);
      require(!listed || each.isEmpty(), "each and listed exclude one another");
      require(maxRunning == null || maxRunning >= 0, "maxRunning must not be negative");
      long steps = 1;
      for (ValueList values : each.values()) {
        steps = Math.min(Long.MAX_VALUE / ValueList.MAX, steps * values.size());
      }
      require(steps <= MAX_STEPS, "each: the lists make more than " + MAX_STEPS + " combinations");
      int place = 0;
      for (ValueList values : each.values()) {
        // So that the numbers of the steps that exist follow one another.
        require(
            values.source() == null || place == 0,
            "each: the list that a step gives must be the first one, and there can be only one");
        place++;
      }
    }

    /** With the usual breaker. */
    public StepTemplate(
        JobSpec job,
        Map<String, ValueList> each,
        boolean listed,
        List<StepNeed> needs,
        Integer maxRunning) {
      this(job, each, listed, needs, maxRunning, null);
    }

    /** Its breaker, the usual one if it names none. */
    public BreakerRule breakerInForce() {
      return breaker == null ? BreakerRule.DEFAULT : breaker;
    }

    /** The same with another job. */
    public StepTemplate withJob(JobSpec other) {
      return new StepTemplate(other, each, listed, needs, maxRunning, breaker);
    }

    /** Which step gives the values of its first list; null if they are known. */
    @JsonIgnore
    public ListSource source() {
      return each.isEmpty() ? null : each.values().iterator().next().source();
    }

    /** How many steps its lists make, or may make; 0 if its steps are listed. */
    @JsonIgnore
    public int size() {
      if (listed) {
        return 0;
      }
      int steps = 1;
      for (ValueList values : each.values()) {
        steps *= values.size();
      }
      return steps;
    }
  }

  /** Which steps of another template a step waits for. */
  public enum NeedMatch {
    /** All of them. */
    ALL,
    /** The one at the same position; both templates have equally many steps. */
    ELEMENT,
    /** Those with the same values of some arguments. */
    ARGUMENT
  }

  /**
   * What the steps of a template wait for; written as the name of a template, or with its fields.
   *
   * @param of the template that must have succeeded
   * @param match which of its steps; null for all, or by the arguments if there are any
   * @param by the arguments whose values are equal; null for none
   */
  public record StepNeed(String of, NeedMatch match, List<String> by) {
    private static final int LONGEST_NAME = 60;

    public StepNeed {
      require(of != null && !of.isBlank(), "needs: the name of a template is missing");
      require(
          of.length() <= LONGEST_NAME,
          "needs: '" + ShownText.of(of) + "': names have at most " + LONGEST_NAME + " characters");
      by = by == null ? List.of() : List.copyOf(by);
      match = match == null ? (by.isEmpty() ? NeedMatch.ALL : NeedMatch.ARGUMENT) : match;
      require(
          (match == NeedMatch.ARGUMENT) == !by.isEmpty(),
          "needs: " + of + ": 'by' names the arguments of match: argument, and only of that");
      Set<String> seen = new HashSet<>();
      for (String argument : by) {
        String place = "needs: " + of + ": by: '" + ShownText.of(argument) + "'";
        require(
            argument.length() <= LONGEST_NAME,
            place + ": names have at most " + LONGEST_NAME + " characters");
        require(seen.add(argument), place + " is given twice");
      }
    }

    /** All steps of that template. */
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static StepNeed all(String template) {
      return new StepNeed(template, NeedMatch.ALL, null);
    }

    @JsonCreator(mode = JsonCreator.Mode.PROPERTIES)
    static StepNeed of(
        @JsonProperty("of") String of,
        @JsonProperty("match") NeedMatch match,
        @JsonProperty("by") List<String> by) {
      return new StepNeed(of, match, by);
    }
  }

  private static void requireLengths(Map<String, String> arguments) {
    long together = 0;
    for (Map.Entry<String, String> argument : arguments.entrySet()) {
      require(argument.getValue() != null, "arguments." + argument.getKey() + ": give a value");
      int length = argument.getValue().length();
      require(
          length <= LONGEST_ARGUMENT,
          "arguments.%s: %d characters; use at most %d"
              .formatted(argument.getKey(), length, LONGEST_ARGUMENT));
      together += length;
    }
    require(
        together <= LONGEST_ARGUMENTS,
        "arguments: %d characters together; use at most %d".formatted(together, LONGEST_ARGUMENTS));
  }

  private static <V> Map<String, V> ordered(Map<String, V> map) {
    return map == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(map));
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
    }
  }
}
