/** Commands about queues: their figures, sending events, the output of their workers. */
package io.millrace.cli.queue;
