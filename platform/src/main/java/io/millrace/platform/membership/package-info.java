/**
 * Which nodes there are: short-lived announcements between members (Hazelcast stands behind this
 * package only) and the topology that central managers publish.
 */
package io.millrace.platform.membership;
