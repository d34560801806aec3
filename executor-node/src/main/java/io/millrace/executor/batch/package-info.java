/**
 * Events that this node leases for a worker: leased before its start, extended while it runs, and
 * acknowledged or returned at its end. Used by the runners.
 */
package io.millrace.executor.batch;
