/** The HTTP client of all servers, and the interface for built-in programs that use it. */
package io.millrace.api.client;
