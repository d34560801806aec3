/**
 * The queues in force: their definitions, controls, and what is asked of all segments of a queue at
 * once, such as its dead letters.
 */
package io.millrace.manager.queue;
