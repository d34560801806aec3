/**
 * What a server keeps in its data directory besides its data: the lock on it, the node's identity,
 * the numbers of its requests, and a reserve of disk space.
 */
package io.millrace.platform.data;
