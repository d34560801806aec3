/**
 * The HTTP server that every role uses: routes with roles, deny by default, problem details,
 * limits, server-sent events, health. Handlers live in packages named {@code web} and see Javalin's
 * context.
 */
package io.millrace.platform.http;
