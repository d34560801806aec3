/**
 * Commands about nodes and what limits the cluster: joining, draining, shares, licences, problems.
 */
package io.millrace.cli.node;
