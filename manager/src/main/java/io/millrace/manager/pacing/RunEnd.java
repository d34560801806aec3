package io.millrace.manager.pacing;

import io.millrace.api.Pure;

/**
 * The end of one worker run, as far as it says something about the worker.
 *
 * @param job the worker's job
 * @param failed whether it failed by itself
 * @param event id of the one event that it had alone; null if it had several, or nobody knows
 */
@Pure
public record RunEnd(long job, boolean failed, String event) {}
