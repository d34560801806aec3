/** Composes a load balancer. Used by the launcher, for a separate process and the embedded form. */
package io.millrace.loadbalancer.node;
