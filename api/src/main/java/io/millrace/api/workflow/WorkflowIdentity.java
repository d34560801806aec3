package io.millrace.api.workflow;

import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The hash by which a workflow is recognised when it is submitted again: name, run key, arguments,
 * the templates' names, lists and needs, and the listed steps with their arguments and needs.
 * Commands, resources, retries and limits are not part of it: they may change between runs.
 *
 * <p>SHA-256 over texts as UTF-8 and numbers, each text preceded by its length in bytes, and each
 * list by its size; numbers are four bytes, the highest first. Of a list that a step gives, -1, the
 * value's name and the most values are added. Not thread-safe.
 */
public final class WorkflowIdentity {
  private static final String FORM = "millrace-workflow-1";
  // In place of the size of a list that a step gives.
  private static final int FROM_STEP = -1;

  private final MessageDigest digest;
  private final ByteBuffer number = ByteBuffer.allocate(Integer.BYTES);

  /** The hash of a workflow, before its listed steps. */
  public WorkflowIdentity(WorkflowSpec workflow, String runKey) {
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
    add(FORM);
    add(workflow.name());
    add(runKey == null ? "" : runKey);
    add(workflow.arguments());
    add(workflow.templates().size());
    workflow.templates().forEach(this::add);
  }

  /** The hash of a workflow without listed steps. */
  public static String of(WorkflowSpec workflow, String runKey) {
    return new WorkflowIdentity(workflow, runKey).hash();
  }

  private void add(String name, StepTemplate template) {
    add(name);
    add(template.listed() ? 1 : 0);
    add(template.each().size());
    template
        .each()
        .forEach(
            (argument, values) -> {
              add(argument);
              if (values.source() != null) {
                // What a step gives may differ from run to run.
                add(FROM_STEP);
                add(values.source().from());
                add(values.source().max());
                return;
              }
              add(values.size());
              for (int i = 0; i < values.size(); i++) {
                add(values.get(i));
              }
            });
    add(template.needs().size());
    for (StepNeed need : template.needs()) {
      add(need.of());
      add(need.match().name());
      add(need.by().size());
      need.by().forEach(this::add);
    }
  }

  /** Adds the next listed step. */
  public void add(ListedStep step) {
    add(step.template());
    add(step.arguments());
    add(step.needs().size());
    step.needs().stream().sorted().forEach(this::add);
    List<String> all = step.all().stream().sorted().toList();
    add(all.size());
    all.forEach(this::add);
  }

  /** The hash of all that was added, in hexadecimal; nothing can be added afterwards. */
  public String hash() {
    return HexFormat.of().formatHex(digest.digest());
  }

  private void add(Map<String, String> texts) {
    add(texts.size());
    new TreeMap<>(texts)
        .forEach(
            (key, value) -> {
              add(key);
              add(value);
            });
  }

  private void add(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    add(bytes.length);
    digest.update(bytes);
  }

  private void add(int value) {
    digest.update(number.clear().putInt(value).flip());
  }
}
