package io.millrace.api.insight;

import io.millrace.api.job.JobView;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.SegmentFigures;
import java.util.List;

/**
 * All about one queue.
 *
 * @param queue as in lists
 * @param definition in force
 * @param segments as last reported
 * @param managers its queue managers
 * @param workers workers waiting and running, at most 50
 * @param lastFailure the last failed worker run; null for none
 */
public record QueueDetails(
    QueueView queue,
    QueueDefinition definition,
    List<SegmentFigures> segments,
    List<JobView> managers,
    List<JobView> workers,
    FailedRun lastFailure) {}
