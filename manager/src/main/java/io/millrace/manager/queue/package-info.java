/**
 * Queues: their definitions, pausing, and operations over all segments of a queue, such as listing
 * its dead letters.
 */
package io.millrace.manager.queue;
