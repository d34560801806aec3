/**
 * Benchmarks of queue nodes, load balancers and queue managers, and the load that they generate.
 */
package io.millrace.bench.queue;
