/** Sessions on the wire: streams of events that share a key, and the workers that have them. */
package io.millrace.api.session;
