/**
 * Pure rules of the load balancer: which node gets the next batch, and which nodes are left alone
 * for a while. No I/O, no threads, no clock.
 */
package io.millrace.loadbalancer.balancing;
