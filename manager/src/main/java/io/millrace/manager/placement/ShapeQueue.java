package io.millrace.manager.placement;

import io.millrace.api.Pure;

/**
 * The waiting jobs of one shape.
 *
 * @param shapeId the shape's id
 * @param shape what they have in common
 * @param head the oldest that may start now
 * @param rest those after it
 */
@Pure
public record ShapeQueue(long shapeId, Shape shape, ReadyJob head, JobSource rest) {}
