/**
 * Weight rows with their history, what operators paused, samples, decisions and pacing states; only
 * the packages {@code queue} and {@code weighting} call it.
 */
package io.millrace.manager.queue.store;
