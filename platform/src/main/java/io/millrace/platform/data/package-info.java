/**
 * What servers keep in their data directories: the node's own id, and the lock that keeps a second
 * process off. Used by queue nodes, execution nodes and the launcher.
 */
package io.millrace.platform.data;
