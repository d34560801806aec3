/** The load balancer's HTTP routes. */
package io.millrace.loadbalancer.http;
