package io.millrace.manager.job;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** What became of an action, job by job. Not thread-safe; lives for one transaction. */
public final class ActionResult {
  private final Set<Long> changed = new LinkedHashSet<>();
  private final Map<Long, String> refused = new LinkedHashMap<>();

  public void changed(long job) {
    changed.add(job);
  }

  /** The action doesn't fit the job; the words say why and what would. */
  public void refused(long job, String words) {
    refused.put(job, words);
  }

  /** Jobs that changed. */
  public Set<Long> changed() {
    return changed;
  }

  /** Why others did not, by job. */
  public Map<Long, String> refused() {
    return refused;
  }
}
