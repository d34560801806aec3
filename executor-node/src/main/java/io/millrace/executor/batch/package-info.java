/**
 * Events that this node leases for a worker: taken before its start, kept while it lives, and
 * acknowledged or given back at its end. Called by the runners.
 */
package io.millrace.executor.batch;
