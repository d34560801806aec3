package io.millrace.manager.job;

import static io.millrace.manager.job.Refusals.checkLength;
import static io.millrace.manager.job.Refusals.checkName;
import static io.millrace.manager.job.Refusals.require;

import io.millrace.api.job.JobSpec;
import io.millrace.manager.placement.Rank;
import io.millrace.manager.placement.Requirement;
import java.util.Map;
import java.util.regex.Pattern;

/** What a job may ask of nodes and of the cluster. Pure. */
final class ResourceRules {
  private static final Pattern CONSUMABLE = Pattern.compile("[a-zA-Z][a-zA-Z0-9._-]{0,62}");
  private static final Pattern SHARE = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._:@/-]{0,99}");
  private static final double LEAST_CPU = 0.001;
  private static final double MOST_CPU = 10_000;
  private static final long LEAST_MEMORY = 1 << 20;
  private static final int MOST_NAMES = 20;
  private static final int MOST_AMOUNT = 1_000_000;
  private static final int LONGEST_EXPRESSION = 2000;

  private ResourceRules() {}

  static void check(JobSpec spec) {
    Double cpu = spec.cpu();
    require(
        cpu == null || (cpu >= LEAST_CPU && cpu <= MOST_CPU),
        "cpu",
        "use 0.001 to 10000 processors, not " + cpu);
    require(
        spec.memory() == null || spec.memory().bytes() >= LEAST_MEMORY,
        "memory",
        "use at least 1MB; no process starts with less");
    checkAmounts("resources", spec.resources());
    checkAmounts("licences", spec.licences());
    checkName(
        "share",
        spec.share(),
        SHARE,
        "letters, digits, '.', '_', ':', '@', '/' and '-', at most 100 characters");
    checkLength("requires", spec.requires(), LONGEST_EXPRESSION);
    checkLength("rank", spec.rank(), LONGEST_EXPRESSION);
    Requirement.parse(spec.requires());
    Rank.parse(spec.rank());
  }

  private static void checkAmounts(String field, Map<String, Integer> amounts) {
    require(
        amounts.size() <= MOST_NAMES,
        field,
        "it names " + amounts.size() + "; use at most " + MOST_NAMES);
    amounts.forEach(
        (name, amount) -> {
          checkName(
              field,
              name,
              CONSUMABLE,
              "a letter, then letters, digits, '.', '_' and '-', at most 63 characters");
          require(
              amount >= 1 && amount <= MOST_AMOUNT,
              field + "." + name,
              "use 1 to 1000000, not " + amount);
        });
  }
}
