/**
 * What a route takes, answers and refuses, and the OpenAPI document made of it. Declared by the
 * routes of every server, read by {@code http}, which it does not know.
 */
package io.millrace.platform.openapi;
