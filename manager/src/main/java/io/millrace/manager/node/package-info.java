/**
 * The nodes of the cluster: joining, registration, heartbeats, draining, loss, and the clocks that
 * they and the database show.
 */
package io.millrace.manager.node;
