/** Queues, their definitions and controls, and the figures of their segments. */
package io.millrace.api.queue;
