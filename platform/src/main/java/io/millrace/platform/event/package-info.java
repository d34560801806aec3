/** Reads bodies of events, for load balancers and queue nodes alike. */
package io.millrace.platform.event;
