package io.millrace.cli.output;

import io.millrace.api.Sizes;
import io.millrace.api.job.JobSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Describes what a job asks of nodes and of the cluster. Pure. */
public final class DemandFormatter {
  private DemandFormatter() {}

  /** What differs from an ordinary job, by topic, in order. */
  public static Map<String, String> of(JobSpec spec) {
    Map<String, String> demands = new LinkedHashMap<>();
    if (spec.slots() > 1) {
      demands.put("slots", String.valueOf(spec.slots()));
    }
    put(demands, "needs", needs(spec));
    put(demands, "requires", spec.requires());
    put(demands, "rank", spec.rank());
    put(demands, "runs as", spec.runAs());
    return demands;
  }

  private static void put(Map<String, String> demands, String topic, String text) {
    if (text != null) {
      demands.put(topic, text);
    }
  }

  /** {@code 2.0 cpus, 512MB memory, gpu=1, licence solver=1}; null for none. */
  public static String needs(JobSpec spec) {
    List<String> needs = new ArrayList<>();
    if (spec.cpu() != null) {
      needs.add(spec.cpu() + " cpus");
    }
    if (spec.memory() != null) {
      needs.add(Sizes.readable(spec.memory().bytes()) + " memory");
    }
    counts(needs, "", spec.resources());
    counts(needs, "licence ", spec.licences());
    return needs.isEmpty() ? null : String.join(", ", needs);
  }

  private static void counts(List<String> needs, String what, Map<String, Integer> counts) {
    new TreeMap<>(counts).forEach((name, count) -> needs.add(what + name + "=" + count));
  }
}
