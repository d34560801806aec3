package io.millrace.manager.workflow;

import io.millrace.api.Json;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.platform.identity.BoundedCache;
import org.jdbi.v3.core.Handle;

/**
 * The definitions of workflows with their plans; revisions never change, so that the latest ones
 * used are kept in memory. Thread-safe.
 */
final class WorkflowRevisions {
  private static final int MAX_KEPT = 8;

  private final WorkflowDao workflows = new WorkflowDao();
  private final BoundedCache<RevisionKey, WorkflowRevision> kept = new BoundedCache<>(MAX_KEPT);

  private record RevisionKey(long workflow, int revision) {}

  /** A definition and its plan. */
  record WorkflowRevision(WorkflowSpec spec, WorkflowPlan plan) {}

  WorkflowRevision read(Handle handle, long workflow, int revision) {
    RevisionKey key = new RevisionKey(workflow, revision);
    return kept.get(key)
        .orElseGet(
            () -> {
              WorkflowSpec spec =
                  Json.read(workflows.spec(handle, workflow, revision), WorkflowSpec.class);
              WorkflowRevision read = new WorkflowRevision(spec, WorkflowPlan.of(spec));
              kept.put(key, read);
              return read;
            });
  }
}
