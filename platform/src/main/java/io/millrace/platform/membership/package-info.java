/**
 * The nodes of the cluster: short-lived announcements between members (only this package uses
 * Hazelcast) and the topology that central managers publish.
 */
package io.millrace.platform.membership;
