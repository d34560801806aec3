/** What load balancers say of themselves. */
package io.millrace.api.balancer;
