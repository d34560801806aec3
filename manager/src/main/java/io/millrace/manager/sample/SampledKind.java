package io.millrace.manager.sample;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** What samples describe. The names are stored. */
public enum SampledKind {
  QUEUE,
  QUEUE_NODE,
  EXECUTION_NODE;

  /** Those of the kind that have samples of some seconds, still existing or not. */
  List<String> subjects(Handle handle) {
    return this == QUEUE ? SampleDao.queues(handle) : NodeSampleDao.nodes(handle, this);
  }

  /** When the first sample of some seconds from that time on was taken. */
  Optional<Instant> firstFrom(Handle handle, String subject, Instant from) {
    return this == QUEUE
        ? SampleDao.firstFrom(handle, subject, from)
        : NodeSampleDao.firstFrom(handle, this, subject, from);
  }

  /** Samples of some seconds, in order of time; the end is exclusive. */
  List<TimedSample> between(Handle handle, String subject, Instant from, Instant to) {
    return this == QUEUE
        ? SampleDao.between(handle, subject, from, to)
        : NodeSampleDao.between(handle, this, subject, from, to);
  }

  /** Deletes some samples of some seconds; returns whether there may be more. */
  boolean forgetSome(Handle handle, String subject, Instant before) {
    return this == QUEUE
        ? SampleDao.forgetSome(handle, subject, before)
        : NodeSampleDao.forgetSome(handle, this, subject, before);
  }
}
