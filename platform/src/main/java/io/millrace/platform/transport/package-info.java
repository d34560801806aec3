/** The HTTP transport of servers. The command line uses {@code UrlTransport} of the API instead. */
package io.millrace.platform.transport;
