/**
 * The only source of time: a wall clock for what people read and a monotonic clock for what is
 * measured. Every server class gets a {@link io.millrace.platform.time.Clock} in its constructor;
 * pure decision code gets plain values instead.
 */
package io.millrace.platform.time;
