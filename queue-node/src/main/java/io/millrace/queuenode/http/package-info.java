/**
 * The queue node's HTTP routes and the bodies of events, which are copied but not parsed further
 * than needed.
 */
package io.millrace.queuenode.http;
