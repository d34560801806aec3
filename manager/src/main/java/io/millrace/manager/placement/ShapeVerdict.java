package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.job.WaitReason;

/**
 * Why the jobs of a shape that were not placed go on waiting.
 *
 * @param shapeId the shape
 * @param head the oldest of them
 * @param reason why it waits; true of the others too unless they prefer other nodes
 */
@Pure
public record ShapeVerdict(long shapeId, ReadyJob head, WaitReason reason) {}
