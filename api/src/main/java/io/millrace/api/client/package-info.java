/** The HTTP client of Millrace's API: one transport interface and typed clients over it. */
package io.millrace.api.client;
