package io.millrace.api.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What a run that somebody starts adds to the definition of its task.
 *
 * @param env environment variables of all jobs of the run, in addition to those of the definition
 *     or in their place; null for none
 * @param arguments appended to the command of its workers; null for none
 */
public record RunParameters(Map<String, String> env, List<String> arguments) {
  /** Nothing. */
  public static final RunParameters NONE = new RunParameters(null, null);

  private static final int MAX_ENTRIES = 50;
  private static final int MAX_NAME = 200;
  private static final int MAX_VALUE = 8_000;
  private static final int MAX_TOTAL = 64_000;
  private static final String MASK = "********";
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Pattern SECRET =
      Pattern.compile(
          "(?i).*(passw|passphrase|secret|token|credential|api_?key|private_?key|auth).*");
  private static final Pattern USER_INFO = Pattern.compile("://[^/@\\s:]{0,200}:[^/@\\s]{1,200}@");

  public RunParameters {
    env = env == null ? Map.of() : Map.copyOf(env);
    arguments = arguments == null ? List.of() : List.copyOf(arguments);
    require(
        env.size() <= MAX_ENTRIES && arguments.size() <= MAX_ENTRIES,
        "at most " + MAX_ENTRIES + " variables and as many arguments");
    int total = 0;
    for (Map.Entry<String, String> variable : new TreeMap<>(env).entrySet()) {
      String name = variable.getKey();
      require(
          name.length() <= MAX_NAME && NAME.matcher(name).matches(),
          "env: '"
              + name.substring(0, Math.min(MAX_NAME, name.length()))
              + "' is not a valid name of an environment variable");
      require(
          !name.startsWith("MILLRACE_"),
          "env: names that begin with MILLRACE_ are set by Millrace; rename " + name);
      checkValue("env." + name, variable.getValue());
      total += name.length() + variable.getValue().length();
    }
    for (String argument : arguments) {
      checkValue("arguments", argument);
      total += argument.length();
    }
    require(total <= MAX_TOTAL, "together at most " + MAX_TOTAL + " characters");
  }

  private static void checkValue(String field, String value) {
    require(value.length() <= MAX_VALUE, field + ": at most " + MAX_VALUE + " characters");
    require(value.indexOf('\0') < 0, field + ": contains a NUL character");
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
    }
  }

  /** Whether nothing is added. */
  public boolean none() {
    return env.isEmpty() && arguments.isEmpty();
  }

  /** The same with a mask in place of what looks like a secret, by its name or in an address. */
  public RunParameters masked() {
    Map<String, String> shown = new LinkedHashMap<>();
    new TreeMap<>(env)
        .forEach(
            (name, value) ->
                shown.put(name, SECRET.matcher(name).matches() ? MASK : withoutUser(value)));
    List<String> words = new ArrayList<>();
    boolean secretNext = false;
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      boolean option = argument.startsWith("-");
      if (secretNext && !option) {
        words.add(MASK);
      } else if (equals > 0 && SECRET.matcher(argument.substring(0, equals)).matches()) {
        words.add(argument.substring(0, equals + 1) + MASK);
      } else {
        words.add(withoutUser(argument));
      }
      secretNext = option && equals < 0 && SECRET.matcher(argument).matches();
    }
    return new RunParameters(shown, words);
  }

  private static String withoutUser(String value) {
    return USER_INFO.matcher(value).replaceAll("://" + MASK + "@");
  }
}
