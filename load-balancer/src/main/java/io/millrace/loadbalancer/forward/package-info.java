/** Passes batches on to queue nodes by weight, and knows which nodes answer. */
package io.millrace.loadbalancer.forward;
