package io.millrace.manager.job;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The table {@code job_tag}: what jobs are found by. Stateless. */
public final class TagDao {
  /** Records the tags of new jobs. */
  public void insert(Handle handle, Map<Long, List<String>> tags) {
    PreparedBatch batch =
        handle.prepareBatch("insert into job_tag (tag, job_id) values (:tag, :id)");
    tags.forEach(
        (id, all) ->
            new HashSet<>(all).forEach(tag -> batch.bind("tag", tag).bind("id", id).add()));
    if (batch.size() > 0) {
      batch.execute();
    }
  }

  /** Forgets the tags of jobs that are deleted. */
  public void delete(Handle handle, Collection<Long> ids) {
    for (List<Long> chunk : Chunks.of(ids, 1000)) {
      handle
          .createUpdate("delete from job_tag where job_id in (<ids>)")
          .bindList("ids", chunk)
          .execute();
    }
  }
}
