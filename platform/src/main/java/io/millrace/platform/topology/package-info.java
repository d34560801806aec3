/**
 * Follows the topology (definitions, weight rows, registered queue nodes) that the central managers
 * keep, and remembers it. Used by queue nodes and load balancers.
 */
package io.millrace.platform.topology;
