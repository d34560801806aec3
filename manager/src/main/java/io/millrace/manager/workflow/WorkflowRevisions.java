package io.millrace.manager.workflow;

import io.millrace.api.Json;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.manager.graph.WorkflowPlan;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * The definitions of workflows with their plans. Revisions never change, so that those used last
 * are kept in memory, as many as their texts are not too long together. Thread-safe.
 */
public final class WorkflowRevisions {
  /** Characters of the texts of all that are kept, except that one is always kept. */
  private static final int MAX_CHARACTERS = 4_000_000;

  private static final int MAX_KEPT = 100;

  private final WorkflowDao workflows = new WorkflowDao();
  // Guarded by itself; the one used longest ago is first.
  private final Map<RevisionKey, WorkflowRevision> kept = new LinkedHashMap<>(16, 0.75f, true);

  private record RevisionKey(long workflow, int revision) {}

  /**
   * A definition and its plan.
   *
   * @param characters of its text
   */
  record WorkflowRevision(WorkflowSpec spec, WorkflowPlan plan, int characters) {}

  /** A revision that is committed: what is read is kept. */
  WorkflowRevision read(Handle handle, long workflow, int revision) {
    RevisionKey key = new RevisionKey(workflow, revision);
    synchronized (kept) {
      WorkflowRevision known = kept.get(key);
      if (known != null) {
        return known;
      }
    }
    String text = workflows.spec(handle, workflow, revision);
    WorkflowSpec spec = Json.read(text, WorkflowSpec.class);
    WorkflowRevision read = new WorkflowRevision(spec, WorkflowPlan.of(spec), text.length());
    keep(key, read);
    return read;
  }

  private void keep(RevisionKey key, WorkflowRevision read) {
    synchronized (kept) {
      kept.put(key, read);
      long characters = kept.values().stream().mapToLong(WorkflowRevision::characters).sum();
      Iterator<WorkflowRevision> oldest = kept.values().iterator();
      while (kept.size() > 1 && (kept.size() > MAX_KEPT || characters > MAX_CHARACTERS)) {
        characters -= oldest.next().characters();
        oldest.remove();
      }
    }
  }
}
