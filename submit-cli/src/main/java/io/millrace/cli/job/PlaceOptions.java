package io.millrace.cli.job;

import io.millrace.api.DataSize;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.job.JobFile.Merged;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options about the placement of a job and the resources that it reserves. Set by the parser. */
final class PlaceOptions {
  private static final int MAX_PRIORITY = 1_000_000;

  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "Priority; higher runs first (default: 0).")
  private Integer priority;

  @Option(
      names = "--share",
      paramLabel = "NAME",
      description = "Share to which the job is charged (default: that of the owner).")
  private String share;

  @Option(
      names = "--pool",
      paramLabel = "POOL",
      description = "Pool of execution nodes (default: default).")
  private String pool;

  @Option(names = "--slots", paramLabel = "N", description = "Number of slots (default: 1).")
  private Integer slots;

  @Option(
      names = "--cpu",
      paramLabel = "N",
      description = "Number of processors, such as 2 or 0.5.")
  private Double cpu;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description = "Memory of all processes, reserved and enforced, such as 512MB.")
  private DataSize memory;

  @Option(
      names = "--resource",
      paramLabel = "NAME=N",
      description = "Named resource of the node, such as gpu=1.")
  private final Map<String, Integer> resources = new LinkedHashMap<>();

  @Option(
      names = "--licence",
      paramLabel = "NAME=N",
      description = "Licence of the cluster, such as solver=1.")
  private final Map<String, Integer> licences = new LinkedHashMap<>();

  @Option(
      names = "--requires",
      paramLabel = "EXPR",
      description = "Condition on the attributes of the node.")
  private String requires;

  @Option(
      names = "--rank",
      paramLabel = "EXPR",
      description = "Expression; the node with the highest value is preferred.")
  private String rank;

  @Option(
      names = "--prefer-node",
      paramLabel = "NAME",
      description = "Preferred queue node to run close to.")
  private String preferredNode;

  void apply(JobSpec base, JobDraft draft) {
    check();
    draft.priority(Merged.of(base.priority(), priority));
    draft.slots(Merged.of(base.slots(), slots));
    draft.share(Merged.of(base.share(), share));
    draft.pool(Merged.of(base.pool(), pool));
    draft.cpu(Merged.of(base.cpu(), cpu));
    draft.memory(Merged.of(base.memory(), memory));
    draft.resources(Merged.of(base.resources(), resources));
    draft.licences(Merged.of(base.licences(), licences));
    draft.requires(Merged.of(base.requires(), requires));
    draft.rank(Merged.of(base.rank(), rank));
    draft.preferredNode(Merged.of(base.preferredNode(), preferredNode));
  }

  private void check() {
    OptionRefusal.outside("--priority", priority, -MAX_PRIORITY, MAX_PRIORITY);
    OptionRefusal.outside("--slots", slots, 1, 1000);
    OptionRefusal.outside("--cpu", cpu, 0.001, 10_000);
    OptionRefusal.unless(
        memory == null || memory.bytes() > 0, "--memory", "use a size above 0, such as 512MB");
    resources.forEach((name, count) -> checkCount("--resource", name, count));
    licences.forEach((name, count) -> checkCount("--licence", name, count));
    checkNotEmpty("--requires", requires, "memory >= 8GB");
    checkNotEmpty("--rank", rank, "cpus");
    checkNotEmpty("--share", share, "nightly");
    checkNotEmpty("--pool", pool, "default");
    checkNotEmpty("--prefer-node", preferredNode, "q1");
  }

  private static void checkCount(String option, String name, int count) {
    OptionRefusal.unless(!name.isBlank(), option, "specify the name of a resource, such as gpu=1");
    OptionRefusal.unless(count >= 1, option, "%s=%d: use 1 or more".formatted(name, count));
  }

  private static void checkNotEmpty(String option, String assignment, String example) {
    OptionRefusal.unless(
        assignment == null || !assignment.isBlank(),
        option,
        "is empty; use a value such as '%s'".formatted(example));
  }
}
