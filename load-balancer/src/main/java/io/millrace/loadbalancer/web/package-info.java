/** The load balancer's HTTP API. Only the composition in {@code node} uses it. */
package io.millrace.loadbalancer.web;
