package io.millrace.manager.job;

import io.millrace.api.job.JobSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes the specifications of elements. Pure. */
final class ElementSpecs {
  private ElementSpecs() {}

  /**
   * The next elements of an array.
   *
   * @param array the array's own specification
   * @param priority the array's priority now
   */
  static List<NewJob> next(JobSpec array, int priority, ArrayRow row, int count) {
    // A lane, a single-instance name and whom to tell are matters of the array as a whole.
    JobSpec common =
        array.draft().priority(priority).lane(null).single(null).notification(null).spec();
    List<NewJob> elements = new ArrayList<>(count);
    long index = row.next();
    for (int i = 0; i < count; i++) {
      Map<String, String> env = new HashMap<>(array.env());
      env.put("MILLRACE_ARRAY", Long.toString(row.job()));
      env.put("MILLRACE_ARRAY_INDEX", Long.toString(index));
      env.put("MILLRACE_ARRAY_SIZE", Long.toString(row.range().size()));
      elements.add(NewJob.element(common.draft().env(env).spec(), row.job(), index));
      index += row.range().step();
    }
    return elements;
  }
}
