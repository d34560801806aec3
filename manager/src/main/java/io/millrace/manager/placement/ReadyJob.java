package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.time.Instant;

/**
 * A job that may start now.
 *
 * @param id the job's id
 * @param readyAt since when; its age
 * @param near name of the queue node that it would like to run beside; null for none
 * @param definition what earlier runs of the same are found by
 */
@Pure
public record ReadyJob(long id, Instant readyAt, String near, String definition) {}
