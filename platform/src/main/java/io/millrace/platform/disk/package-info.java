/**
 * Watches the free space of the disks that servers write to. Used by queue nodes and execution
 * nodes, which take nothing new when it runs short.
 */
package io.millrace.platform.disk;
