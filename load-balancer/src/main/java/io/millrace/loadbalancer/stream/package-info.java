/**
 * Bodies of any size: cut into batches as they arrive, within bounded memory. Used by the routes of
 * the load balancer.
 */
package io.millrace.loadbalancer.stream;
