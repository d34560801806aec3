/**
 * The HTTP server and what routes share: authentication, errors as problems, health, metrics, event
 * streams; and the transport of servers that are clients themselves.
 */
package io.millrace.platform.http;
