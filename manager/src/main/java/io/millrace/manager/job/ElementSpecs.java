package io.millrace.manager.job;

import io.millrace.api.job.JobSpec;
import java.util.HashMap;
import java.util.Map;

/** What elements of arrays run. Pure. */
final class ElementSpecs {
  private ElementSpecs() {}

  /**
   * What the elements of an array have in common: its specification without what belongs to the
   * array as a whole (lane, single-instance name, notification).
   */
  static JobSpec common(JobSpec array, int priority) {
    return array.draft().priority(priority).lane(null).single(null).notification(null).spec();
  }

  /** An element with one of the array's indexes. */
  static NewJob element(JobSpec common, ArrayRow array, long index) {
    Map<String, String> env = new HashMap<>(common.env());
    env.put("MILLRACE_ARRAY", Long.toString(array.job()));
    env.put("MILLRACE_ARRAY_INDEX", Long.toString(index));
    env.put("MILLRACE_ARRAY_SIZE", Long.toString(array.range().size()));
    return NewJob.element(common.draft().env(env).spec(), array.job(), index);
  }
}
