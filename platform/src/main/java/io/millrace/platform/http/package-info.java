/**
 * The HTTP server and what routes share: authentication, problem details, health checks, metrics,
 * event streams; and the HTTP transport for servers that are clients.
 */
package io.millrace.platform.http;
