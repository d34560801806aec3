package io.millrace.platform.http;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The checks of {@code /readyz}: each returns the problem, or empty. {@code /livez} checks nothing,
 * because a restart does not repair a database. Checks are quick and thread-safe.
 */
public final class Health {
  private final Map<String, Supplier<Optional<String>>> checks;

  public Health(Map<String, Supplier<Optional<String>>> checks) {
    this.checks = new TreeMap<>(checks);
  }

  /** A server that is ready as soon as it listens. */
  public static Health always() {
    return new Health(Map.of());
  }

  /** What is wrong, by check; empty when ready. */
  Map<String, String> problems() {
    Map<String, String> problems = new TreeMap<>();
    checks.forEach((name, check) -> check.get().ifPresent(problem -> problems.put(name, problem)));
    return problems;
  }
}
