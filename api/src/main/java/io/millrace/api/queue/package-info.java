/** Queues, segments, weights and the load of queue nodes as defined, published and shown. */
package io.millrace.api.queue;
